import type { FoundValue } from '../../filter/operators.ts';
import { createStep } from '../log/index-up-to.ts';
import { readValues, type EventLog } from '../log/log.ts';
import { compilePathTest, soughtScalars, type PathTest } from '../analysis/path-test.ts';
import { createFlags, type Flags } from './flags.ts';
import type { LeafSource, SourceTools } from './source.ts';

/** How much is evaluated in one step: characters times tests. */
const STEP_WORK = 8_388_608;
const VALUE_WORK = 64;

/**
 * Tests of one path that this question reads from the log, once for all of them. It is for paths for which a
 * dictionary would not pay or does not fit in memory. A row has one bit for each test.
 */
export function createFullScanSource(
  log: EventLog,
  tests: readonly PathTest[],
  { reservation, pacer }: SourceTools,
): LeafSource {
  const { path } = tests[0]!;
  const passes = tests.map(compilePathTest);
  const mayPass = soughtBy(tests);

  function evaluate(flags: Flags, row: number, value: FoundValue): void {
    if (mayPass?.(value) === false) return;
    for (let i = 0; i < passes.length; i++) {
      if (passes[i]!(value)) flags.set(row, i);
    }
  }

  return {
    async open(size) {
      const flags = createFlags(tests, size, log.erased(), reservation);
      const step = createStep(pacer);
      let values: readonly FoundValue[] = [];
      let evaluated = 0;
      for (let row = 0; row < size;) {
        await step((rows) => {
          if (evaluated === values.length) {
            values = readValues(log, path, row, Math.min(size, row + rows));
            evaluated = 0;
          }
          for (let work = 0; evaluated < values.length && work < STEP_WORK; evaluated++, row++) {
            const value = values[evaluated];
            evaluate(flags, row, value);
            const length = typeof value === 'string' || Array.isArray(value) ? value.length : 0;
            work += mayPass === undefined ? (VALUE_WORK + length) * passes.length : VALUE_WORK;
          }
        });
      }
      return (leaf) => flags.leaf(leaf);
    },
  };
}

/**
 * Makes a test whether a value can pass any of the tests; undefined unless all of them name the only values
 * that can. Numbers are found by binary search and not by hash, since V8 hashes them without a secret.
 */
function soughtBy(tests: readonly PathTest[]): ((value: FoundValue) => boolean) | undefined {
  const others = new Set<FoundValue>();
  const numbers: number[] = [];
  for (const test of tests) {
    const scalars = soughtScalars(test);
    if (scalars === undefined) return undefined;
    for (const scalar of scalars) {
      if (typeof scalar === 'number') numbers.push(scalar);
      else others.add(scalar);
    }
  }
  const sorted = Float64Array.from(numbers).sort();
  return (value) => (typeof value === 'number' ? includes(sorted, value) : others.has(value));
}

function includes(sorted: Float64Array, value: number): boolean {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return sorted[low] === value;
}
