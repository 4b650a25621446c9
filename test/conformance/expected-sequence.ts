import { toEventView, type EventView } from '../../src/core/filter/predicate.ts';
import { compilePredicate } from '../../src/core/query/predicate.ts';
import type { AskedSequence, Sequence } from '../../src/core/query/sequence.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
import { bucketOf, bucketsOf, compareOf, valueAt } from './expected-breakdown.ts';
import { compareNewestFirst } from './expected.ts';

type Scalar = string | number | boolean;

/** An event of a stream, and which conditions it meets. */
interface Stepping {
  readonly view: EventView;
  /** Its place in the order of time. */
  readonly place: number;
  readonly bits: number;
  /** Its values at the paths that are held constant, as a text. */
  readonly same: string;
}

/** An attempt: the events that its steps took. */
type Attempt = readonly Stepping[];

/**
 * What a sequence means, as plainly as it can be said: every beginning of every value is tried, and each step
 * takes the first later event that matches it. That is quadratic. Undefined for too many buckets of time.
 */
export function sequenceOf(events: readonly StoredEvent[], asked: AskedSequence): Sequence | undefined {
  const { attempts, missing } = attemptsOf(events, asked);
  const groups = groupsOf(asked, attempts);
  if (groups === undefined) return undefined;
  const steps = countsOf(asked, attempts).map((count, k) => ({
    count,
    ...(k === 0 || asked.percentiles.length === 0
      ? {}
      : {
          sinceStart: timesOf(asked, attempts, [0, k]),
          sincePrevious: timesOf(asked, attempts, [k - 1, k]),
        }),
  }));
  return { steps, missing, ...groups };
}

/** How many attempts reach each step. */
function countsOf({ steps }: AskedSequence, attempts: readonly Attempt[]): number[] {
  return Array.from({ length: steps }, (_, k) => attempts.filter(({ length }) => length > k).length);
}

/** The percentiles of the times between two steps, by nearest rank. */
function timesOf(
  { percentiles }: AskedSequence,
  attempts: readonly Attempt[],
  [from, to]: readonly [number, number],
) {
  const times = attempts
    .filter(({ length }) => length > to)
    .map((attempt) => attempt[to]!.view.eventTs - attempt[from]!.view.eventTs)
    .sort((a, b) => a - b);
  const at = (rank: number) => times[Math.max(1, Math.ceil((rank * times.length) / 100_000)) - 1] ?? null;
  return Object.fromEntries(percentiles.map(({ name, rank }) => [name, at(rank)]));
}

/** Of each value the attempt that comes furthest, and of those the one that begins first. */
export function attemptsOf(
  events: readonly StoredEvent[],
  { query, streams, range, ...asked }: AskedSequence,
): { readonly attempts: readonly Attempt[]; readonly missing: number } {
  const isSelected = compilePredicate(query, { codeGeneration: false });
  const tests = streams.bits.map((condition) =>
    compilePredicate({ from: -Infinity, until: Infinity, condition }, { codeGeneration: false }),
  );
  const byKey = new Map<Scalar, Stepping[]>();
  let missing = 0;
  const inOrder = [...events].sort(compareNewestFirst).reverse().map(toEventView).filter(isSelected);
  for (const [place, view] of inOrder.entries()) {
    const bits = tests.reduce((sum, test, i) => sum + (test(view) ? 2 ** i : 0), 0);
    const key = valueAt(view, streams.distinct);
    const isInRange = view.eventTs >= range.from && view.eventTs < range.until;
    if (!isScalar(key)) missing += bits % 2 ** asked.steps > 0 && isInRange ? 1 : 0;
    else {
      const same = streams.same.map((path) => valueAt(view, path));
      if (!byKey.has(key)) byKey.set(key, []);
      if (same.every(isScalar)) byKey.get(key)!.push({ view, place, bits, same: JSON.stringify(same) });
    }
  }
  const all = [...byKey.values()].map((stream) => bestOf(stream, { query, streams, range, ...asked }));
  return { attempts: all.filter(({ length }) => length > 0), missing };
}

function bestOf(stream: readonly Stepping[], asked: AskedSequence): Attempt {
  let best: Attempt = [];
  for (const first of stream) {
    const { eventTs } = first.view;
    if (!has(first, 0) || eventTs < asked.range.from || eventTs >= asked.range.until) continue;
    const later = stream.filter(({ same, place }) => same === first.same && place > first.place);
    const attempt = attemptFrom(first, later, asked);
    if (attempt.length > best.length) best = attempt;
  }
  return best;
}

function attemptFrom(
  first: Stepping,
  later: readonly Stepping[],
  { steps, within, isStrict, without }: AskedSequence,
): Attempt {
  const taken = [first];
  for (const each of later) {
    const k = taken.length;
    if (k === steps || each.view.eventTs - first.view.eventTs > within) break;
    if (has(each, k)) taken.push(each);
    else if (isStrict || without.some(({ after, bit }) => after === k && (each.bits & bit) !== 0)) break;
  }
  return taken;
}

const has = ({ bits }: Stepping, k: number) => (bits & (1 << k)) !== 0;

const isScalar = (value: unknown): value is Scalar => ['string', 'number', 'boolean'].includes(typeof value);

function groupsOf(
  asked: AskedSequence,
  attempts: readonly Attempt[],
): Pick<Sequence, 'groupsTotal' | 'groups' | 'rest'> | undefined {
  const { by, size } = asked;
  if (by === undefined) return {};
  const keyOf = ([first]: Attempt) =>
    'unit' in by ? bucketOf(by, first!.view.eventTs) : valueAt(first!.view, by);
  const groupAt = (key: Scalar) => ({
    key,
    counts: countsOf(
      asked,
      attempts.filter((attempt) => keyOf(attempt) === key),
    ),
  });
  const keys =
    'unit' in by
      ? bucketsOf(
          by,
          attempts.map(([first]) => first!.view),
        )
      : [...new Set(attempts.map(keyOf))].filter(isScalar);
  if (keys === undefined) return undefined;
  const counted = keys.map(groupAt).map((group) => ({ ...group, count: group.counts[0]! }));
  if (!('unit' in by)) {
    const compare = compareOf(by);
    counted.sort((a, b) => b.count - a.count || compare(a.key, b.key));
  }
  const groups = counted.slice(0, size).map(({ key, counts }) => ({ key, counts }));
  const rest = countsOf(asked, attempts).map((count, k) =>
    groups.reduce((left, { counts }) => left - counts[k]!, count),
  );
  return { groupsTotal: keys.length, groups, rest: { counts: rest } };
}
