import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { beQuiet, note, printRows, write } from '../../../../adapters/cli/print/output.ts';
import { createProgress } from '../../../../adapters/cli/print/progress.ts';

/** Captures what is written to a stream, which may pretend to be a terminal. */
function catching(
  name: 'stdout' | 'stderr',
  { terminal = false, failure = undefined as Error | undefined } = {},
) {
  const stream = process[name];
  const before = stream.isTTY;
  let text = '';
  const caught = vi.spyOn(stream, 'write').mockImplementation((piece, taken?: unknown) => {
    text += String(piece);
    if (typeof taken === 'function') (taken as (error?: Error) => void)(failure);
    return true;
  });
  stream.isTTY = terminal;
  onTestFinished(() => {
    caught.mockRestore();
    stream.isTTY = before;
  });
  return () => text;
}

describe('what a command prints', () => {
  it('is rejected when its reader has gone', async () => {
    catching('stdout', { failure: new Error('EPIPE') });
    await expect(write('text')).rejects.toThrow('EPIPE');
  });

  it('is a word on a terminal when there are no rows, and nothing in a pipe', async () => {
    const columns = [{ head: 'A', text: (row: string) => row }] as never;
    const onTerminal = catching('stdout', { terminal: true });
    await printRows([], columns);
    expect(onTerminal()).toBe('none\n');
  });

  it('cannot control the terminal of the user', () => {
    const said = catching('stderr');
    note('a \u001b[2J name');
    expect(said()).toMatch(/^a .*name\n$/);
    expect(said()).not.toContain('\u001b');
  });
});

describe('the progress of a command', () => {
  it('is not drawn in a pipe, where only lines are printed', () => {
    const said = catching('stderr');
    const progress = createProgress(10);
    progress.update(5, 5);
    progress.say('a line');
    progress.stop();
    expect(said()).toBe('a line\n');
  });

  it('is a line for each minute in a pipe, and none with --quiet', () => {
    const said = catching('stderr');
    let now = 1e12;
    const clock = () => now;
    const [known, unknown] = [createProgress(200, clock), createProgress(0, clock)];
    for (const [ms, done] of [
      [59_999, 10],
      [1, 20],
      [30_000, 30],
      [30_000, 300],
    ] as const) {
      now += ms;
      known.update(done, done);
      unknown.update(done, done);
    }
    expect(said()).toBe('20 events, 10 %\n20 events so far\n300 events, 100 %\n300 events so far\n');
    beQuiet(true);
    now += 60_000;
    known.update(300, 300);
    beQuiet(false);
    expect(said()).toMatch(/300 events so far\n$/);
  });

  it('goes on below a printed line, and leaves signals to the command', () => {
    const listeners = process.listenerCount('SIGINT');
    const said = catching('stderr', { terminal: true });
    const progress = createProgress(10);
    progress.update(5, 5);
    expect(process.listenerCount('SIGINT')).toBe(listeners);
    const before = said().length;
    progress.say('a line');
    progress.stop();
    expect(said().slice(before)).toMatch(/a line\n[^]*50%/);
  });
});
