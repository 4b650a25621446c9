import { reserveOrThrow } from '../bounds/memory-budget.ts';
import type { FilterPath } from '../filter/path.ts';
import { eachBlock, eachSelected } from './groups/blocks.ts';
import type { OpenedRows } from './groups/breakdown.ts';
import { tallyCodes } from './groups/group-loops.ts';
import type { GroupTools } from './groups/grouped.ts';
import type { EventLog } from './log/log.ts';
import type { Selector } from './selection/selector.ts';

/** The path that is read of all rows: an event name disappears with its last event. */
export const NAME: FilterPath = { root: 'eventName', segments: [] };

/** Rows of a log that are to be erased. */
export interface ChosenRows {
  /** The log that they belong to. */
  readonly log: EventLog;
  /** Ascending. */
  readonly rows: Uint32Array;
  /** Their sequence numbers. In a log without erased events these are the rows themselves. */
  readonly sequences: Uint32Array;
  /** The first sequence number after all rows that there were to choose from. */
  readonly end: number;
  /** The event names that no other row has. */
  readonly names: readonly string[];
}

const ALL: Selector = { kind: 'constant', value: 1 };

/** Chooses all selected rows. */
export async function chooseRows(
  log: EventLog,
  { selector, range, size, coded: [named] }: OpenedRows,
  { reservation, pacer }: GroupTools,
): Promise<ChosenRows> {
  const { codes, values, count } = named!;
  reserveOrThrow(reservation, count * 8 + size);
  const ofAll = new Uint32Array(count);
  const ofChosen = new Uint32Array(count);
  const isChosen = new Uint8Array(size);
  await eachSelected(ALL, { from: 0, to: size }, pacer, (selection, block) =>
    tallyCodes(ofAll, codes, selection, block),
  );
  await eachSelected(selector, range, pacer, (selection, block) => {
    tallyCodes(ofChosen, codes, selection, block);
    for (let place = block.from; place < block.to; place++) {
      if (selection[place - block.from] === 1) isChosen[block.rows?.[place] ?? place] = 1;
    }
  });
  const chosen = ofChosen.reduce((total, each) => total + each, 0);
  const liveRows = log.liveRows?.();
  reserveOrThrow(reservation, chosen * (liveRows === undefined ? 4 : 8));
  const rows = new Uint32Array(chosen);
  const sequences = liveRows === undefined ? rows : new Uint32Array(chosen);
  let place = 0;
  await eachBlock({ from: 0, to: size }, pacer, (block) => {
    for (let row = block.from; row < block.to; row++) {
      if (isChosen[row] === 0) continue;
      rows[place] = row;
      if (liveRows !== undefined) sequences[place] = liveRows.sequenceOf(row);
      place += 1;
    }
  });
  const isGone = (code: number) => ofChosen[code]! > 0 && ofChosen[code] === ofAll[code];
  const names = values.slice(0, count).filter((_, code) => isGone(code)) as string[];
  return { log, rows, sequences, end: liveRows?.sequenceOf(size) ?? size, names };
}
