/**
 * How much is tried: 1 in the normal test run, more behind `npm run faults`. Everything that is tried in
 * numbers takes its numbers from here.
 */
export const FAULTS = {
  /** Whether the long forms of the tests run. */
  long: process.env.FAULTS_LONG === '1',
  /** How often a server is killed during ingestion. */
  rounds: Number(process.env.FAULTS_ROUNDS ?? 4),
  /** How many disks are looked at after a loss of power. */
  losses: Number(process.env.FAULTS_POWER ?? 12),
  /** Where random moments and sizes come from; printed, so that a failure can be repeated. */
  seed: Number(process.env.FAULTS_SEED ?? Date.now() % 1_000_000),
} as const;
