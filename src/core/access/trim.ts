import type { ControlStore } from './control-store.ts';
import type { Logger, Runtime } from '../base/runtime.ts';

/** How many audit entries are kept of each tenant, and of those that concern no tenant: the newest. */
const NOTES_MAX = 10_000;
/** How often a process checks for more. */
const TRIM_INTERVAL_MS = 3_600_000;

/**
 * Creates the function that deletes the oldest audit entries beyond the limit. However often it is called, it
 * checks once an hour.
 */
export function createTrim(
  control: Pick<ControlStore, 'trimAudit'>,
  runtime: Pick<Runtime, 'now'>,
  log: Logger,
): () => Promise<void> {
  let trimmedAt = -Infinity;
  return async () => {
    const now = runtime.now();
    if (Math.abs(now - trimmedAt) < TRIM_INTERVAL_MS) return;
    trimmedAt = now;
    await control
      .trimAudit(NOTES_MAX)
      .catch((err: unknown) => log.error({ err }, 'the audit log was not trimmed'));
  };
}
