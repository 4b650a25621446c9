import type { Column } from '../column/column.ts';
import { indexAndSave } from '../log/index-up-to.ts';
import type { EventLog } from '../log/log.ts';
import type { PathTest } from '../analysis/path-test.ts';
import { weigh } from '../counting/count-loops.ts';
import type { LeafOf, LeafSource, SourceTools } from './source.ts';
import { createFullScanSource } from './full-scan-source.ts';
import { evaluate, type CodeMask } from '../column/code-mask.ts';

/** Tests over a column. If the column is disabled on the way, a full scan of its path takes over. */
export function createColumnSource(
  log: EventLog,
  column: Column,
  tests: readonly PathTest[],
  tools: SourceTools,
): LeafSource {
  const { pacer } = tools;
  const masks = new Map<PathTest, CodeMask>();

  const countAll = (mask: Uint8Array, size: number) => {
    const occurrences = column.occurrencesAt(log.version, size);
    return occurrences && weigh(mask, occurrences);
  };

  function maskOf(test: PathTest): CodeMask {
    const known = masks.get(test) ?? column.masks.take(test);
    masks.set(test, known);
    return known;
  }

  /** Takes the column as it is, and of its masks the results of the first `count` values. */
  function take(count: number): LeafOf {
    const { codes, zoneMap } = column;
    return (leaf) => {
      const { bytes } = masks.get(leaf as PathTest)!;
      const mask = bytes.length === count ? bytes : bytes.subarray(0, count);
      return { kind: 'leaf', codes, mask, countAll, zoneMap };
    };
  }

  return {
    column,
    async open(size) {
      await indexAndSave(column, size, pacer);
      // The rows of the question have no other values. Those that come on the way belong to later rows.
      const count = column.dictionary.values.length;
      if (column.disabled === undefined) {
        const { dictionary, entry: reservation } = column;
        for (const test of tests) await evaluate(maskOf(test), test, dictionary, { reservation, pacer });
      }
      return column.disabled === undefined ? take(count) : createFullScanSource(log, tests, tools).open(size);
    },
    release() {
      for (const mask of masks.values()) column.masks.put(mask);
    },
  };
}
