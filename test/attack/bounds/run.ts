import type { Row, RunOptions } from '../live/report.ts';
import { measureAttack, type Measured } from './arena.ts';
import { ATTACKS, QUICK } from './attacks.ts';
import { allTogether } from './together.ts';

/** Runs all attacks at once, on one server. */
export async function runTogether(minutes: number, { quick }: RunOptions): Promise<Row[]> {
  return [toRow(await measureAttack(allTogether(minutes), quick))];
}

/** Runs the attacks whose names begin with one of some words, or all, each on a server of its own. */
export async function* runBounds(words: readonly string[], { quick }: RunOptions): AsyncGenerator<Row> {
  const chosen = ATTACKS.filter(({ name }) =>
    words.length === 0 ? !quick || QUICK.has(name) : words.some((word) => name.startsWith(word)),
  );
  for (const attack of chosen) {
    try {
      yield toRow(await measureAttack(attack, quick));
    } catch (error) {
      const figures = error instanceof Error ? (error.stack ?? error.message) : String(error);
      yield { attack: attack.name, figures, failed: true };
    }
  }
}

function toRow({
  name,
  what,
  size,
  answers,
  slowestMs,
  slowestOf,
  peakMiB,
  refused,
  lagMs,
  wrong,
}: Measured): Row {
  const refusals = Object.values(refused).reduce((sum, times) => sum + times, 0);
  const figures =
    `${what}; ${size}; ${answers}\n    an ordinary request took at most ${Math.round(slowestMs)} ms ` +
    `(${slowestOf}; this client was late by ${Math.round(lagMs)} ms), ` +
    `${refusals} of them failed, ` +
    `memory at most ${Math.round(peakMiB)} MiB`;
  return {
    attack: name,
    figures: figures + wrong.map((line) => `\n    WRONG: ${line.slice(0, 500)}`).join(''),
    failed: wrong.length > 0,
  };
}
