import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** One line of the table that a run prints. */
export interface Row {
  readonly attack: string;
  /** What was measured, in words with figures. */
  readonly figures: string;
  readonly failed: boolean;
}

/** A run's parts are asked with this. */
export interface RunOptions {
  /** Whether the run has to end within a minute or two. */
  readonly quick: boolean;
}

/** A row that holds when nothing is wrong. */
export function toRow(attack: string, figures: string, wrong: readonly string[] = []): Row {
  const first = wrong.slice(0, 5).map((line) => `\n    ${line}`);
  return { attack, figures: figures + first.join(''), failed: wrong.length > 0 };
}

/** Whether a program is installed. */
export function isInstalled(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * The row of an attack whose tool is missing: in a whole run that is a failure, because what was not tried is
 * not proved; a quick run says so and goes on.
 */
export function missingRow(program: string, { quick }: RunOptions): Row {
  const figures = `NOT TRIED: ${program} is missing; install it with: apt-get install ${program}`;
  return { attack: program, figures, failed: !quick };
}

/** The value below which a share of the values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** A ratio as people read it. */
export function toRatio(value: number, reference: number): string {
  const ratio = value / reference;
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(2);
}
