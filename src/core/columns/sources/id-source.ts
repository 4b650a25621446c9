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

  /** Whether the rows with these ids are few enough to be looked up. */
  async function lookUp(flags: Flags, size: number): Promise<boolean> {
    const sought = ids.seek(testsOf.keys());
    let looks = 0;
    for (let row = 0; row < size;) {
      // Memory may have run out for another question meanwhile. Then the hashes are disabled.
      if (ids.disabled) return false;
      const end = Math.min(size, row + STEP_ROWS);
      const rows = ids.find(sought, row, end, STEP_LOOKS);
      for (const found of rows) {
        if (isErased(log.erased(), found)) continue;
        for (const test of testsOf.get(log.insertIdAt(found)) ?? []) flags.set(found, test);
      }
      row = rows.length === STEP_LOOKS ? rows.at(-1)! + 1 : end;
      looks += rows.length;
      if (looks > LOOKS_MAX) return false;
      await tools.pacer.yieldIfDue();
    }
    return true;
  }

  return {
    async open(size) {
      await indexUpTo(ids, size, tools.pacer);
      if (!ids.disabled) {
        const flags = createFlags(tests, size, log.erased(), tools.reservation);
        if (await lookUp(flags, size)) return (leaf) => flags.leaf(leaf);
      }
      return createFullScanSource(log, tests, tools).open(size);
    },
  };
}
