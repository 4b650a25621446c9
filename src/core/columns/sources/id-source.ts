import { indexUpTo } from '../log/index-up-to.ts';
import { isErased } from '../log/erased-rows.ts';
import type { EventLog } from '../log/log.ts';
import type { IdHashes } from '../order/id-hashes.ts';
import type { LeafSource, SourceTools } from './source.ts';
import { createFullScanSource } from './full-scan-source.ts';
import { soughtScalars, type PathTest } from '../analysis/path-test.ts';
import { createFlags, type Flags } from './flags.ts';

/** How many hashes are looked at between two pauses: about a millisecond. */
const STEP_ROWS = 1_048_576;

/** How many rows are read one by one in a step, and in all. With more rows a full scan is faster. */
const STEP_LOOKS = 256;
const LOOKS_MAX = 4096;

/** Tests of `insertId` that name the ids they look for. Only rows that may have such an id are read. */
export function createIdSource(
  log: EventLog,
  ids: IdHashes,
  tests: readonly PathTest[],
  tools: SourceTools,
): LeafSource {
  /** The tests that look for an id. */
  const testsOf = new Map<string, number[]>();
  tests.forEach((test, index) => {
    for (const id of soughtScalars(test)!) {
      if (typeof id !== 'string') continue;
      const others = testsOf.get(id);
      if (others === undefined) testsOf.set(id, [index]);
      else others.push(index);
    }
  });
  let flags: Flags | undefined;
  let fullScan: LeafSource | undefined;
  let indexedRows = 0;

  /** Whether the rows with these ids are few enough to be looked up. */
  async function lookUp(own: Flags, size: number): Promise<boolean> {
    const sought = ids.seek(testsOf.keys());
    for (let looks = 0; indexedRows < size;) {
      // Memory may have run out for another question meanwhile. Then the hashes are disabled.
      if (ids.disabled) return false;
      const end = Math.min(size, indexedRows + STEP_ROWS);
      const rows = ids.find(sought, indexedRows, end, STEP_LOOKS);
      for (const row of rows) {
        if (isErased(log.erased(), row)) continue;
        for (const test of testsOf.get(log.insertIdAt(row)) ?? []) own.set(row, test);
      }
      indexedRows = rows.length === STEP_LOOKS ? rows.at(-1)! + 1 : end;
      looks += rows.length;
      if (looks > LOOKS_MAX) return false;
      await tools.pacer.yieldIfDue();
    }
    return true;
  }

  return {
    async indexUpTo(size) {
      await indexUpTo(ids, size, tools.pacer);
      if (!ids.disabled) {
        flags = createFlags(tests, size, log.erased(), tools.reservation);
        if (await lookUp(flags, size)) return;
      }
      fullScan ??= createFullScanSource(log, tests, tools);
      await fullScan.indexUpTo(size);
    },
    isReady: (size) => fullScan?.isReady(size) ?? indexedRows >= size,
    leaf: (leaf) => (fullScan ?? flags!).leaf(leaf),
  };
}
