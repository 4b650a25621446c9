import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of the build that is tried: `dist`, or another that `EVENT_QUERY_DIST` names, such as one that
 * was broken on purpose to see a test fail.
 */
export const DIST = process.env.EVENT_QUERY_DIST ?? fileURLToPath(new URL('../../../dist', import.meta.url));

/** The built command. Throws an Error when there is no build. */
export function builtCli(): string {
  const cli = join(DIST, 'cli.js');
  if (!existsSync(cli)) throw new Error(`There is no ${cli}: run "npm run build" first.`);
  return cli;
}

/**
 * How much is tried: 1 in the normal test run, more behind `npm run faults`. Everything that is tried in
 * numbers takes its numbers from here.
 */
export const FAULTS = {
  /** Whether the long forms of the tests run. */
  long: process.env.FAULTS_LONG === '1',
  /** How often a server is killed during ingestion. */
  rounds: Number(process.env.FAULTS_ROUNDS ?? 4),
  /** Where random moments and sizes come from; printed, so that a failure can be repeated. */
  seed: Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000),
} as const;
