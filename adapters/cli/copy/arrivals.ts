import { setTimeout as sleep } from 'node:timers/promises';
import { isApiError, type EventStore } from '../../../src/index.ts';
import { messageOf } from '../process/errors.ts';
import { note } from '../print/output.ts';
import type { Signals } from '../process/signals.ts';
import { BATCH_EVENTS, copyMissing, EVERYTHING, type Sides } from './missing-events.ts';

/** The pause between two looks at a source that had no new events. */
const LOOK_MS = 1000;

/** A position in the order in which events arrived. */
type Arrived = Awaited<ReturnType<NonNullable<EventStore['since']>>>['position'];

/** The current position of the source, to follow from; undefined when not following, or if it has none. */
export async function startOf({ source, tenantId }: Sides, follow: boolean): Promise<Arrived | undefined> {
  return follow ? (await source.since?.(tenantId, EVERYTHING, undefined, 1))?.position : undefined;
}

/**
 * Copies new events until a signal arrives, and returns how many. When a store is unavailable, it retries
 * without limit.
 */
export async function followSource(
  sides: Sides,
  begin: Arrived | undefined,
  signals: Signals,
): Promise<number> {
  let copied = 0;
  let position = begin;
  let isAway = false;
  while (!signals.came()) {
    let isQuiet = true;
    try {
      const step = await copyArrivals(sides, position);
      position = step.position;
      copied += step.copied;
      isQuiet = step.isQuiet;
      isAway = false;
    } catch (error) {
      if (!isApiError(error) || error.status !== 503) throw error;
      if (!isAway) note(`${messageOf(error)}; trying again until Ctrl-C`);
      isAway = true;
    }
    if (isQuiet) await Promise.race([sleep(LOOK_MS), signals.received]);
  }
  return copied;
}

/** Copies the events after a position; if the source has no positions, all events that the target lacks. */
async function copyArrivals({ source, target, tenantId }: Sides, position: Arrived | undefined) {
  const found = await source.since?.(tenantId, EVERYTHING, position, BATCH_EVENTS);
  if (found === undefined) {
    const copied = await copyMissing({ source, target, tenantId }, () => undefined);
    return { copied, position: undefined, isQuiet: true };
  }
  const { events } = found;
  if (events.length === 0) return { copied: 0, position: found.position, isQuiet: true };
  const { duplicates } = await target.append(tenantId, events);
  return { copied: events.length - duplicates.length, position: found.position, isQuiet: false };
}
