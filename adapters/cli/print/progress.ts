import { Presets, SingleBar } from 'cli-progress';

/** How far a long command has come, for the person who watches. */
export interface Progress {
  /** `done` of the total, in the unit that the total has. */
  update(done: number, events: number): void;
  /** Says a line above the bar. */
  say(line: string): void;
  stop(): void;
}

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
  // The bar leaves cursor, wrapping and signals as they are, so that a signal ends an import as it ends any
  // other process, and the terminal needs no repair.
  const options = { format, clearOnComplete: true, gracefulExit: false, linewrap: true };
  const bar = new SingleBar(options, Presets.shades_classic);
  let [last, count] = [0, 0];
  bar.start(total, 0, { events: 0 });
  return {
    update: (done, events) => {
      [last, count] = [Math.min(done, total), events];
      bar.update(last, { events });
    },
    say: (line) => {
      // The bar goes back to where it began when it stops, so it begins anew below the line.
      bar.stop();
      process.stderr.write(`${line}\n`);
      bar.start(total, last, { events: count });
    },
    stop: () => bar.stop(),
  };
}
