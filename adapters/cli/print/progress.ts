import { Presets, SingleBar } from 'cli-progress';

/** How far a long command has come, for the person who watches. */
export interface Progress {
  /** `done` of the total, in the unit that the total has. */
  update(done: number, events: number): void;
  /** Says a line above the bar. */
  say(line: string): void;
  stop(): void;
}

const CLEAR_LINE = '\r\u001b[K';

/** A bar on stderr where that is a terminal, and nothing in a pipe. A total of 0 is one that is not known. */
export function createProgress(total: number): Progress {
  if (!process.stderr.isTTY) {
    return {
      update: () => undefined,
      say: (line) => process.stderr.write(`${line}\n`),
      stop: () => undefined,
    };
  }
  const format =
    total > 0 ? '{bar} {percentage}% | {events} events | {eta_formatted} left' : '{events} events';
  const bar = new SingleBar({ format, hideCursor: true, clearOnComplete: true }, Presets.shades_classic);
  bar.start(total, 0, { events: 0 });
  return {
    update: (done, events) => bar.update(Math.min(done, total), { events }),
    say: (line) => {
      process.stderr.write(`${CLEAR_LINE}${line}\n`);
      bar.render();
    },
    stop: () => bar.stop(),
  };
}
