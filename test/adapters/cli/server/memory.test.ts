import { execFileSync } from 'node:child_process';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { bundleProgram } from '../../../support/bundle.ts';
import { createTestLog } from '../../../support/test-server.ts';
import { openResources } from '../../../../adapters/cli/server/memory.ts';

const MEMORY = bundleProgram('adapters/cli/server/memory.ts');

/**
 * Holds 200 MB and makes garbage that outlives the young generation, until the heap grows less than `enough`
 * times between two garbage collections, or for a long time. It prints the last growth. The collector runs
 * without threads, so that its timing depends on the program only.
 */
const WORK = `
  import { openResources } from '${MEMORY}';
  const [memoryMax, enough] = process.argv.slice(-2).map(Number);
  const memory = openResources({ memoryMax, log: console });
  const live = Array.from({ length: 900_000 }, (_, i) => ({ text: 't' + i, list: new Array(9).fill(i) }));
  const ring = new Array(20_000).fill(null);
  const growths = [];
  let made = 0, used = 0, low = Infinity;
  const step = () => {
    for (let i = 0; i < 2000; i++) ring[made++ % ring.length] = { list: new Array(100).fill(made), live };
    const before = used;
    used = process.memoryUsage().heapUsed;
    if (used < before * 0.9) {
      growths.push(before / low);
      low = used;
    }
    if (made < 4_000_000 && !(growths.at(-1) > 1 && growths.at(-1) < enough)) return setImmediate(step);
    memory.stop();
    console.log(growths.at(-1));
  };
  step();
`;

function growthAfter(bytesMax: number, enough: number): number {
  const args = ['--single-threaded-gc', '--input-type=module', '-e', WORK, String(bytesMax), String(enough)];
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }));
}

const open = (memoryMax: number, workers = 1) => openResources({ memoryMax, workers, log: createTestLog() });

/** Opens the resources as if the system limited the process to `constrained` bytes; 0 means no limit. */
function openAmong(constrained: number) {
  const spy = vi.spyOn(process, 'constrainedMemory').mockReturnValue(constrained);
  onTestFinished(() => spy.mockRestore());
  return open(Infinity);
}

describe('the memory of a server', () => {
  it('is divided', () => {
    const memory = open(512 * 2 ** 20);
    memory.stop();
    expect(memory.resources.memory.bytesMax).toBe(Math.floor(288 * 2 ** 20 * 0.55));
  });

  it.each([
    // By default V8 would let the heap grow fourfold.
    ['there is much of it', 2 ** 31, 2.5],
    ['it is tight', 512 * 2 ** 20, 1.6],
  ])('keeps what is not in use small while %s', (_name, bytesMax, enough) => {
    expect(growthAfter(bytesMax, enough)).toBeLessThan(enough);
  });

  it.each([
    ['nothing', 0, Infinity],
    ['600 MiB', 600 * 2 ** 20, 600 * 2 ** 20],
  ])('where the system lets it have %s is that', (_name, constrained, expected) => {
    const memory = openAmong(constrained);
    memory.stop();
    expect(memory.bytesMax).toBe(Math.min(expected, totalmem(), getHeapStatistics().heap_size_limit));
  });

  it('is partly withheld while the process uses more than was reserved', async () => {
    const memory = open(512 * 2 ** 20);
    const unbooked = Buffer.alloc(512 * 2 ** 20, 1);
    const half = memory.resources.memory.bytesMax / 2;
    const reservation = memory.resources.memory.reservation('a');
    await expect.poll(() => reservation.reserve(half) && (reservation.release(), true)).toBe(false);
    expect(reservation.reserve(half / 2)).toBe(true);
    expect(unbooked.length).toBeGreaterThan(0);
    memory.stop();
  });

  it('is the memory of the machine, shared by the workers, when the limit is higher', () => {
    const [one, eight] = [open(Infinity), open(Infinity, 8)];
    one.stop();
    eight.stop();
    expect(one.bytesMax).toBeGreaterThan(256 * 2 ** 20);
    expect(one.bytesMax).toBeLessThanOrEqual(totalmem());
    expect(eight.bytesMax).toBeLessThanOrEqual(totalmem() / 8);
    expect(open(2 ** 30, 1000).resources.memory.bytesMax).toBe(32 * 2 ** 20);
  });
});
