import { Presets, SingleBar } from 'cli-progress';
import { isQuiet } from './output.ts';

/** Shows the progress of a long command. */
export interface Progress {
  /** Sets the progress; `done` has the unit of the total. */
  update(done: number, events: number): void;
  /** Prints a line above the bar. */
  say(line: string): void;
  stop(): void;
}

/** How often a line tells of the progress where there is no terminal. */
const LINE_MS = 60_000;

/**
 * Makes a progress bar on stderr; in a pipe, a line for each minute; nothing with --quiet. A total of 0 means
 * that it is unknown.
 */
export function createProgress(total: number, now: () => number = Date.now): Progress {
  if (!process.stderr.isTTY || isQuiet()) return createLines(total, now);
  const format =
    total > 0 ? '{bar} {percentage}% | {events} events | {eta_formatted} left' : '{events} events';
  // The bar must not change the cursor, line wrapping or signals: then a signal ends an import like any
  // other process, and leaves the terminal intact.
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
      // A stopped bar clears its line, so stop it, print the line, and start it again below.
      bar.stop();
      process.stderr.write(`${line}\n`);
      bar.start(total, last, { events: count });
    },
    stop: () => bar.stop(),
  };
}

/** The progress as lines of a log, whose reader sees that something goes on, and how long it will take. */
function createLines(total: number, now: () => number): Progress {
  let saidAt = now();
  const shareOf = (done: number) => Math.floor((100 * Math.min(done, total)) / total);
  const say = (line: string) => process.stderr.write(`${line}\n`);
  return {
    update(done, events) {
      const at = now();
      if (isQuiet() || at - saidAt < LINE_MS) return;
      saidAt = at;
      say(total > 0 ? `${events} events, ${shareOf(done)} %` : `${events} events so far`);
    },
    say,
    stop: () => undefined,
  };
}
