import type { AdminStore } from './admin-store.ts';
import type { Logger, Runtime } from '../base/runtime.ts';

/** How many notes of each tenant are kept, and of what concerns none: the newest. */
const NOTES_MAX = 10_000;
/** How often a process looks whether there are more. */
const TRIM_INTERVAL_MS = 3_600_000;

/**
 * Makes what forgets the oldest notes of tenants that have too many; however often it is asked, it looks once
 * an hour.
 */
export function createTrim(
  admins: Pick<AdminStore, 'trimAudit'>,
  runtime: Pick<Runtime, 'now'>,
  log: Logger,
): () => Promise<void> {
  let trimmedAt = -Infinity;
  return async () => {
    const now = runtime.now();
    if (Math.abs(now - trimmedAt) < TRIM_INTERVAL_MS) return;
    trimmedAt = now;
    await admins
      .trimAudit(NOTES_MAX)
      .catch((err: unknown) => log.error({ err }, 'the audit log was not trimmed'));
  };
}
