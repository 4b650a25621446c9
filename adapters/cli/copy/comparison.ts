import { createHash } from 'node:crypto';
import { eventsOf, toEventJson } from '../../../src/internal.ts';
import { compareNewestFirst, type Position } from '../../../src/store-kit.ts';
import { EVERYTHING, type Advance, type Sides } from './missing-events.ts';

/** The result of comparing the events of two stores. */
export interface StoreComparison {
  /** How many events are identical in both. */
  readonly same: number;
  /** How many events only the source has. */
  readonly missing: number;
  /** How many events only the target has. */
  readonly added: number;
  /** How many events both have with different content: a store keeps the first write of an event. */
  readonly different: number;
  /** The SHA-256 of the events of each store, as `export` prints them. */
  readonly hashes: { readonly source: string; readonly target: string };
}

/** Whether both stores have the same events. */
export function isSame({ missing, added, different, hashes }: StoreComparison): boolean {
  return missing + added + different === 0 && hashes.source === hashes.target;
}

/** Reads both stores in parallel, newest first, and compares event by event. */
export async function compareEvents(
  { tenantId, source, target }: Sides,
  advance: Advance,
): Promise<StoreComparison> {
  const counts = { same: 0, missing: 0, added: 0, different: 0 };
  const ours = createReader(source, tenantId);
  const theirs = createReader(target, tenantId);
  let [our, their] = [await ours.next(), await theirs.next()];
  while (our !== undefined || their !== undefined) {
    const order = compareLines(our, their);
    if (order < 0) counts.missing += 1;
    else if (order > 0) counts.added += 1;
    else if (our?.text === their?.text) counts.same += 1;
    else counts.different += 1;
    if (order <= 0) {
      our = await ours.next();
      advance(1);
    }
    if (order >= 0) their = await theirs.next();
  }
  return { ...counts, hashes: { source: ours.hash(), target: theirs.hash() } };
}

/** An event as a line of an export, with its position. */
interface EventLine extends Position {
  readonly text: string;
}

function createReader(store: Sides['source'], tenantId: string) {
  const events = eventsOf(store, { tenantId, query: EVERYTHING });
  const hash = createHash('sha256');
  return {
    async next(): Promise<EventLine | undefined> {
      const { value } = await events.next();
      if (value === undefined) return undefined;
      const text = `${toEventJson(value)}\n`;
      hash.update(text);
      return { eventTs: value.eventTs, insertId: value.insertId, text };
    },
    hash: () => hash.digest('hex'),
  };
}

/** Compares two lines, newest first; an exhausted store comes last. */
function compareLines(a: EventLine | undefined, b: EventLine | undefined): number {
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return compareNewestFirst(a, b);
}
