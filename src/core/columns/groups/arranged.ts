import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import { eachSelected } from './blocks.ts';
import { arrangeCodes, type Arrangement } from './group-loops.ts';
import type { ChosenSpans, GroupTools } from './grouped.ts';
import type { Coded } from './reading.ts';

/** How many codes are visited between two pauses. */
const STEP_CODES = 262_144;

/** What looks at the codes of one group after the other. */
export interface GroupVisitor {
  begin?(): void;
  add(codes: Uint32Array): void;
  end(): Promise<void> | void;
}

/** Visits what the rows of each group have at a path, group by group. */
export type VisitGroups = (coded: Coded, visitor: GroupVisitor) => Promise<void>;

/** The groups of some rows: the codes that make them, and how many rows have each code. */
export interface ChosenGroups {
  readonly by: Coded;
  readonly groups: readonly number[];
  readonly counts: Uint32Array;
}

/** Makes what puts the codes of each group's rows next to each other, in room that all paths share. */
export function createArrangement(
  { by, groups, counts }: ChosenGroups,
  { selectorAt, spans }: ChosenSpans,
  { reservation, pacer }: GroupTools,
): VisitGroups {
  let room: Pick<Arrangement, 'arranged' | 'groupOf'> | undefined;

  function makeRoom() {
    const rows = groups.reduce((sum, code) => sum + counts[code]!, 0);
    reserveOrThrow(reservation, rows * 4 + by.count * 2);
    const groupOf = new Uint16Array(by.count);
    groups.forEach((code, i) => (groupOf[code] = i + 1));
    return { arranged: new Uint32Array(rows), groupOf };
  }

  return async (coded, visitor) => {
    room ??= makeRoom();
    const { arranged } = room;
    const cursors = new Uint32Array(groups.length + 1);
    let end = 0;
    groups.forEach((code, i) => {
      cursors[i + 1] = end;
      end += counts[code]!;
    });
    const arrangement = { ...room, cursors };
    await eachSelected(selectorAt, spans, pacer, (selection, block) => {
      const { segment } = block;
      arrangeCodes(arrangement, by.codes[segment]!, coded.codes[segment]!, selection, block);
    });
    let from = 0;
    for (const code of groups) {
      const to = from + counts[code]!;
      visitor.begin?.();
      for (; from < to; from = Math.min(to, from + STEP_CODES)) {
        visitor.add(arranged.subarray(from, Math.min(to, from + STEP_CODES)));
        await pacer.yieldIfDue();
      }
      await visitor.end();
    }
  };
}
