import { indexUpTo } from '../log/index-up-to.ts';
import type { EventLog } from '../log/log.ts';
import type { IdHashes } from '../order/id-hashes.ts';
import type { LeafSource, SourceTools } from './source.ts';
import { createStreamedSource } from './streamed-source.ts';
import { soughtScalars, type PathTest } from '../analysis/path-test.ts';
import { createFlags, type Flags } from './flags.ts';

/** How many hashes are looked at between two pauses: about a millisecond. */
const STEP_ROWS = 1_048_576;

/** How many rows are read one by one in a step, and in all: of more, all rows are sooner read in order. */
const STEP_LOOKS = 256;
const LOOKS_MAX = 4096;

/** Tests of `insertId` that say which ids they seek: the rows that may have these are looked up. */
export function createIdSource(
  log: EventLog,
  ids: IdHashes,
  tests: readonly PathTest[],
  tools: SourceTools,
): LeafSource {
  /** Which tests seek an id. */
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
  let streamed: LeafSource | undefined;
  let indexedRows = 0;

  /** Whether the rows with these ids are few enough to be looked up. */
  async function lookUp(own: Flags, size: number): Promise<boolean> {
    const sought = ids.seek(testsOf.keys());
    for (let looks = 0; indexedRows < size;) {
      // Another question may have found no room for more of them meanwhile, and then there are none.
      if (ids.givenUp) return false;
      const end = Math.min(size, indexedRows + STEP_ROWS);
      const rows = ids.find(sought, indexedRows, end, STEP_LOOKS);
      for (const row of rows) {
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
      if (!ids.givenUp) {
        flags = createFlags(tests, size, tools.reservation);
        if (await lookUp(flags, size)) return;
      }
      streamed ??= createStreamedSource(log, tests, tools);
      await streamed.indexUpTo(size);
    },
    isReady: (size) => streamed?.isReady(size) ?? indexedRows >= size,
    leaf: (leaf) => (streamed ?? flags!).leaf(leaf),
  };
}
