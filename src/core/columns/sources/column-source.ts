import type { Column } from '../column/column.ts';
import { indexUpTo } from '../log/index-up-to.ts';
import type { EventLog } from '../log/log.ts';
import type { PathTest } from '../analysis/path-test.ts';
import { weigh } from '../counting/count-loops.ts';
import type { LeafSource, SourceTools } from './source.ts';
import { createFullScanSource } from './full-scan-source.ts';
import { evaluate, type CodeMask } from '../column/code-mask.ts';

/** Tests over a column. If the column is disabled on the way, a full scan of its path takes over. */
export function createColumnSource(
  log: EventLog,
  column: Column,
  tests: readonly PathTest[],
  tools: SourceTools,
): LeafSource {
  const masks = new Map<PathTest, CodeMask>();
  let fullScan: LeafSource | undefined;
  /** How many values the masks have results for: all values of the indexed rows. */
  let evaluated = 0;

  function maskOf(test: PathTest): CodeMask {
    const known = masks.get(test);
    if (known !== undefined) return known;
    const mask = column.masks.take(test);
    masks.set(test, mask);
    return mask;
  }

  const countAll = (mask: Uint8Array, size: number) => {
    const occurrences = column.occurrencesAt(log.version, size);
    return occurrences && weigh(mask, occurrences);
  };

  return {
    async indexUpTo(size) {
      await indexUpTo(column, size, tools.pacer);
      if (column.disabled === undefined) {
        for (const test of tests) {
          await evaluate(maskOf(test), test, column.dictionary, {
            reservation: column.entry,
            pacer: tools.pacer,
          });
        }
        await column.save(tools.pacer);
      }
      if (column.disabled !== undefined) {
        await (fullScan ??= createFullScanSource(log, tests, tools)).indexUpTo(size);
      }
    },
    isReady(size) {
      if (fullScan !== undefined) return fullScan.isReady(size);
      if (column.disabled !== undefined || column.indexedRows < size) return false;
      evaluated = column.dictionary.values.length;
      return tests.every((test) => maskOf(test).evaluated >= evaluated);
    },
    leaf(leaf) {
      if (fullScan !== undefined) return fullScan.leaf(leaf);
      const { codes, zoneMap } = column;
      const { bytes } = masks.get(leaf as PathTest)!;
      const mask = bytes.length === evaluated ? bytes : bytes.subarray(0, evaluated);
      return { kind: 'leaf', codes, mask, countAll, zoneMap };
    },
    release() {
      for (const mask of masks.values()) column.masks.put(mask);
    },
  };
}
