import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';

const MEMORY = new URL('../../../../adapters/cli/server/memory.ts', import.meta.url).href;

/** Makes much garbage above a live heap of about 250 MiB; the peak of the process in MiB. */
const WORK = `
  import { openMemory } from '${MEMORY}';
  const memory = openMemory(512 * 2 ** 20);
  const live = [];
  const ring = [];
  const end = Date.now() + 4000;
  const step = () => {
    for (let i = 0; i < 2000; i++) {
      const value = Array.from({ length: 40 }, () => live.length + i);
      if (live.length < 600000) live.push(value);
      ring[i + (live.length % 30) * 2000] = [...value];
    }
    if (Date.now() < end) setImmediate(step);
    else {
      memory.stop();
      const peak = process.resourceUsage().maxRSS / 1024;
      console.log(JSON.stringify({ peak, ledger: memory.ledger.bytesMax }));
    }
  };
  step();
`;

describe('the memory of a server', () => {
  it('is divided, and the collector keeps what is not in use small', () => {
    const args = ['--import', 'tsx', '--input-type=module', '-e', WORK];
    const { peak, ledger } = JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as {
      peak: number;
      ledger: number;
    };
    expect(ledger).toBe(Math.floor(352 * 2 ** 20 * 0.7));
    expect(peak).toBeLessThan(512);
  });
});
