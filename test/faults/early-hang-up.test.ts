import { describe, expect, it, onTestFinished } from 'vitest';
import { createPlace, endOf } from '../adapters/cli/command.ts';
import { workersOf } from './support/forms.ts';

describe('a SIGHUP before all workers have started', () => {
  it('ends no server: it renews the workers once they serve', async () => {
    const place = createPlace();
    onTestFinished(() => place.remove());
    const child = place.start(['serve', '--workers', '2', '--port', '0', '--drain', '0s']);
    const ended = endOf(child);
    let log = '';
    child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
    child.stdout!.resume();
    const hasEnded = () => child.signalCode !== null || child.exitCode !== null;
    await expect.poll(() => hasEnded() || workersOf(child.pid!).length > 0, { interval: 1 }).toBe(true);
    child.kill('SIGHUP');
    await expect.poll(() => hasEnded() || log.includes('all workers were renewed')).toBe(true);
    expect([child.signalCode, log]).toEqual([null, expect.stringContaining('all workers were renewed')]);
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  });
});
