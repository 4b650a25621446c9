import type { Column } from '../column/column.ts';
import { cover } from '../log/cover.ts';
import type { EventLog } from '../log/log.ts';
import type { PathTest } from '../analysis/asked.ts';
import { weigh } from '../counting/count-loops.ts';
import type { LeafSource, SourceTools } from './source.ts';
import { createStreamedSource } from './streamed-source.ts';
import { judge, type Verdict } from '../column/verdict.ts';

/** Tests over a column; should the column be given up on the way, its path is read from the log instead. */
export function createColumnSource(
  log: EventLog,
  column: Column,
  tests: readonly PathTest[],
  tools: SourceTools,
): LeafSource {
  const verdicts = new Map<PathTest, Verdict>();
  let streamed: LeafSource | undefined;
  /** How many values the verdicts know: all that the covered rows have. */
  let judged = 0;

  function verdictOf(test: PathTest): Verdict {
    const known = verdicts.get(test);
    if (known !== undefined) return known;
    const verdict = column.verdicts.take(test);
    verdicts.set(test, verdict);
    return verdict;
  }

  /** The occurrences are those of all covered rows, and those may have become more. */
  const countAll = (verdict: Uint8Array, size: number) =>
    column.givenUp === undefined && column.covered === size ? weigh(verdict, column.occurrences) : undefined;

  return {
    async cover(size) {
      await cover(column, size, tools.pacer);
      if (column.givenUp === undefined) {
        for (const test of tests) {
          await judge(verdictOf(test), test, column.dictionary, {
            reservation: column.entry,
            pacer: tools.pacer,
          });
        }
        await column.save(tools.pacer);
      }
      if (column.givenUp !== undefined) {
        await (streamed ??= createStreamedSource(log, tests, tools)).cover(size);
      }
    },
    isReady(size) {
      if (streamed !== undefined) return streamed.isReady(size);
      if (column.givenUp !== undefined || column.covered < size) return false;
      judged = column.dictionary.values.length;
      return tests.every((test) => verdictOf(test).judged >= judged);
    },
    leaf(atom) {
      if (streamed !== undefined) return streamed.leaf(atom);
      const { codes, zoneMap } = column;
      const { bytes } = verdicts.get(atom as PathTest)!;
      const verdict = bytes.length === judged ? bytes : bytes.subarray(0, judged);
      return { kind: 'leaf', codes, verdict, countAll, zoneMap };
    },
    release() {
      for (const verdict of verdicts.values()) column.verdicts.put(verdict);
    },
  };
}
