import { createHash } from 'node:crypto';
import { eventsOf, toEventJson } from '../../../src/internal.ts';
import { compareNewestFirst, type Position } from '../../../src/store-kit.ts';
import { EVERYTHING, type Advance, type Sides } from './missing-events.ts';

/** How the events of two stores compare. */
export interface StoreComparison {
  /** How many events both hold, to the letter. */
  readonly same: number;
  /** How many only the source holds. */
  readonly missing: number;
  /** How many only the target holds. */
  readonly added: number;
  /** How many both hold, and not alike: the first write of an event stays. */
  readonly different: number;
  /** SHA-256 of the events of each as `export` prints them. */
  readonly hashes: { readonly source: string; readonly target: string };
}

/** Whether nothing tells two stores apart. */
export function isSame({ missing, added, different, hashes }: StoreComparison): boolean {
  return missing + added + different === 0 && hashes.source === hashes.target;
}

/** Reads both stores beside each other, in the order of answers, and compares event by event. */
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

/** An event on its place, as a line of an export. */
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

/** Which comes first in the order of answers; what has ended comes last. */
function compareLines(a: EventLine | undefined, b: EventLine | undefined): number {
  if (a === undefined || b === undefined) return a === undefined ? 1 : -1;
  return compareNewestFirst(a, b);
}
