import { execFileSync } from 'node:child_process';
import { totalmem } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { bundleProgram } from '../../../support/bundle.ts';
import { openMemory, type ServerMemory } from '../../../../adapters/cli/server/memory.ts';

const MEMORY = bundleProgram('adapters/cli/server/memory.ts');

/**
 * Makes garbage that outlives the young generation, above 130 MiB that stay: the peak in MiB. On Linux the
 * peak that `resourceUsage` tells counts the process that started this one: so the kernel is asked for it.
 */
const WORK = `
  import { existsSync, readFileSync } from 'node:fs';
  import { openMemory } from '${MEMORY}';
  const memory = openMemory(512 * 2 ** 20);
  const live = Array.from({ length: 900_000 }, (_, i) => ({ text: 't' + i, list: new Array(9).fill(i) }));
  const ring = new Array(20_000).fill(null);
  const end = Date.now() + 1500;
  let made = 0;
  const step = () => {
    for (let i = 0; i < 2000; i++) ring[made++ % ring.length] = { list: new Array(100).fill(made), live };
    if (Date.now() < end) return setImmediate(step);
    memory.stop();
    const status = existsSync('/proc/self/status') ? readFileSync('/proc/self/status', 'utf8') : '';
    const peak = Number(/VmHWM:\\s*(\\d+)/.exec(status)?.[1] ?? process.resourceUsage().maxRSS) / 1024;
    console.log(JSON.stringify({ peak, ledger: memory.ledger.bytesMax }));
  };
  step();
`;

/** Opens it as where the system says so of the process, 0 for nothing. */
function openAmong(constrained: number): ServerMemory {
  const spy = vi.spyOn(process, 'constrainedMemory').mockReturnValue(constrained);
  onTestFinished(() => spy.mockRestore());
  return openMemory(Infinity);
}

describe('the memory of a server', () => {
  it('is divided, and the collector keeps what is not in use small', () => {
    const args = ['--input-type=module', '-e', WORK];
    // The collector marks beside the program: where it gets no processor meanwhile, more garbage is made than
    // it has seen. That only adds to a peak, so the least of some is what the setting allows.
    let least = Infinity;
    for (let run = 0; run < 5 && least >= 512; run++) {
      const { peak, ledger } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
        peak: number;
        ledger: number;
      };
      expect(ledger).toBe(Math.floor(288 * 2 ** 20 * 0.55));
      least = Math.min(least, peak);
    }
    expect(least).toBeLessThan(512);
  });

  it.each([
    ['nothing', 0, Infinity],
    ['600 MiB', 600 * 2 ** 20, 600 * 2 ** 20],
  ])('where the system lets it have %s is that', (_name, constrained, expected) => {
    const memory = openAmong(constrained);
    memory.stop();
    expect(memory.bytesMax).toBe(Math.min(expected, totalmem(), getHeapStatistics().heap_size_limit));
  });

  it('is not all to be had while the process has more than was booked', async () => {
    const memory = openMemory(512 * 2 ** 20);
    const unbooked = Buffer.alloc(512 * 2 ** 20, 1);
    const half = memory.ledger.bytesMax / 2;
    const account = memory.ledger.account('a');
    await expect.poll(() => account.book(half) && (account.release(), true), { timeout: 20_000 }).toBe(false);
    expect(account.book(half / 2)).toBe(true);
    expect(unbooked.length).toBeGreaterThan(0);
    memory.stop();
  });

  it('is what the machine has, shared by the workers, where more is asked for', () => {
    const [one, eight] = [openMemory(Infinity), openMemory(Infinity, 8)];
    one.stop();
    eight.stop();
    expect(one.bytesMax).toBeGreaterThan(256 * 2 ** 20);
    expect(one.bytesMax).toBeLessThanOrEqual(totalmem());
    expect(eight.bytesMax).toBeLessThanOrEqual(totalmem() / 8);
    expect(openMemory(2 ** 30, 1000).ledger.bytesMax).toBe(32 * 2 ** 20);
  });
});
