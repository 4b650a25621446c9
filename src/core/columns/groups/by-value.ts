import { demand } from '../../bounds/ledger.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { Scalar } from '../../filter/operands.ts';
import { toKey, type Breakdown, type Grouping } from '../../query/grouping.ts';
import type { FilterPath } from '../../filter/path.ts';
import type { Codes } from '../chunk.ts';
import { BLOCK_ROWS, type Range } from '../selection/select.ts';
import type { Selector } from '../selection/selector.ts';
import { eachPossible, eachSelected } from './blocks.ts';
import { createDistinctCounter, type DistinctCounter } from './distinct.ts';
import { addLanes, arrangeCodes, collectCodes, createLanes, tallyCodes, tallyNarrow } from './group-loops.ts';
import type { Grouped, GroupTools } from './grouped.ts';
import type { Coded } from './reading.ts';
import { summarize } from './summary.ts';

/** How many codes are counted between two pauses. */
const STEP_CODES = 262_144;

/** Groups rows by what a path finds in them: codes are counted, and only the groups given are looked into. */
export async function breakDownByValue(
  by: Coded,
  { selector, range, distinct }: Grouped,
  { by: path, size }: Grouping & { readonly by: FilterPath },
  tools: GroupTools,
): Promise<Breakdown> {
  const { account, pacer } = tools;
  demand(account, by.count * 4 + BLOCK_ROWS * 5);
  const counts = await countGroups(by, { selector, range }, pacer);
  const counter = distinct && (await createDistinctCounter(distinct, tools));
  if (counter !== undefined) {
    const block = new Uint32Array(BLOCK_ROWS);
    counter.begin();
    await eachSelected(selector, range, pacer, (selection, rows) =>
      counter.add(block.subarray(0, collectCodes(block, distinct!.codes, selection, rows))),
    );
  }
  const found = counter?.found;
  const { given, ...tally } = await summarize(by, counts, size, pacer);
  const inGroups =
    counter && (await countInGroups(by, { selector, range, distinct }, given, counts, counter, tools));
  const groups = given.map((code, i) => ({
    key: toKey(path, by.values[code] as Scalar),
    count: counts[code]!,
    ...(inGroups === undefined ? {} : { distinct: inGroups[i]! }),
  }));
  return { ...tally, groups, ...(found === undefined ? {} : { distinct: found }) };
}

/** How many of the selected rows have each code. */
async function countGroups(
  { codes, count, tallyAll }: Coded,
  { selector, range }: Pick<Grouped, 'selector' | 'range'>,
  pacer: Pacer,
): Promise<Uint32Array> {
  const counts = new Uint32Array(count);
  const known = isEveryRow(selector, range) ? tallyAll(range.to) : undefined;
  if (known !== undefined) counts.set(known.subarray(0, count));
  else if (isNarrow(codes) && selector.kind === 'leaf' && isNarrow(selector.codes) && !range.rows) {
    const { codes: tested, verdict } = selector;
    const lanes = createLanes();
    await eachPossible(selector, range, pacer, (block) => tallyNarrow(lanes, codes, tested, verdict, block));
    addLanes(counts, lanes);
  } else {
    await eachSelected(selector, range, pacer, (selection, block) =>
      tallyCodes(counts, codes, selection, block),
    );
  }
  return counts;
}

function isNarrow(codes: Codes): codes is Uint8Array {
  return codes instanceof Uint8Array;
}

/** Whether a question is about all rows that its log had. */
function isEveryRow(selector: Selector, { rows, from }: Range): boolean {
  return selector.kind === 'constant' && selector.value === 1 && rows === undefined && from === 0;
}

/** How many distinct scalars each of the groups has: its rows are put together, then counted. */
async function countInGroups(
  by: Coded,
  { selector, range, distinct }: Grouped,
  groups: readonly number[],
  counts: Uint32Array,
  counter: DistinctCounter,
  { account, pacer }: GroupTools,
): Promise<number[]> {
  const rows = groups.reduce((sum, code) => sum + counts[code]!, 0);
  demand(account, rows * 4 + by.count * 2);
  const arranged = new Uint32Array(rows);
  const groupOf = new Uint16Array(by.count);
  const cursors = new Uint32Array(groups.length + 1);
  let end = 0;
  groups.forEach((code, i) => {
    groupOf[code] = i + 1;
    cursors[i + 1] = end;
    end += counts[code]!;
  });
  await eachSelected(selector, range, pacer, (selection, block) =>
    arrangeCodes({ arranged, cursors, groupOf }, by.codes, distinct!.codes, selection, block),
  );
  const found: number[] = [];
  let from = 0;
  for (const code of groups) {
    const to = from + counts[code]!;
    counter.begin();
    for (; from < to; from = Math.min(to, from + STEP_CODES)) {
      counter.add(arranged.subarray(from, Math.min(to, from + STEP_CODES)));
      await pacer.pause();
    }
    found.push(counter.found);
  }
  return found;
}
