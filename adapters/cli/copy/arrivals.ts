import { setTimeout as sleep } from 'node:timers/promises';
import { isApiError, type EventStore } from '../../../src/index.ts';
import { messageOf } from '../errors.ts';
import { note } from '../print/output.ts';
import type { Signals } from '../signals.ts';
import { BATCH_EVENTS, copyMissing, EVERYTHING, type Sides } from './missing-events.ts';

/** How often a store that does not tell what arrived is looked through, and any other asked. */
const LOOK_MS = 1000;

/** A place in the order in which events arrived. */
type Arrived = Awaited<ReturnType<NonNullable<EventStore['since']>>>['position'];

/** The place from which on events are new, where the source knows it and somebody wants to. */
export async function startOf({ source, tenantId }: Sides, follow: boolean): Promise<Arrived | undefined> {
  return follow ? (await source.since?.(tenantId, EVERYTHING, undefined, 1))?.position : undefined;
}

/**
 * Copies what arrives until a signal comes; how many events that were. A store that is away is tried again,
 * as often as it takes.
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

/** Copies what arrived behind a position, or where the source knows none what the target lacks. */
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
