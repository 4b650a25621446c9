import { DAY_MS } from '../time/unit.ts';

/** The last UTC day that a tenant no longer keeps, if it keeps so many whole days before today. */
export function lastDayErased(days: number, now: number): string {
  const today = Math.floor(now / DAY_MS) * DAY_MS;
  // No event is older than 1970.
  return new Date(Math.max(today - (days + 1) * DAY_MS, 0)).toISOString().slice(0, 10);
}
