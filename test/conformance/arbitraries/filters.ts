import * as fc from 'fast-check';
import { toIsoDay } from '../../../src/core/event/time.ts';
import { EVENT_FIELDS, pathText } from '../../../src/core/filter/path.ts';
import { toEventView } from '../../../src/core/filter/predicate.ts';
import type { ComparisonName, FilterEntry, JsonValue } from '../../../src/index.ts';
import { COMPARISONS } from '../../../src/internal.ts';
import { toIsoInstant, type Path, type StoredEvent } from '../../../src/store-kit.ts';
import { instants, scalars } from './events.ts';
import { operandsOf } from './operands.ts';
import { KEYS } from './traps.ts';

type Scalar = string | number | boolean;

/** A path of some events with the values that it finds there, the elements of arrays among them. */
interface Place {
  readonly path: Path;
  readonly found: Scalar[];
}

/** Every path into the properties of some events, with what it finds: filters made of it hit. */
function placesOf(events: readonly StoredEvent[]): Place[] {
  const places = new Map<string, Place>();
  const visit = (value: JsonValue, segments: readonly string[]): void => {
    const path: Path = { root: 'properties', segments };
    const text = pathText(path);
    if (segments.length > 0) {
      if (text.length > 1024 || segments.length > 31 || segments.includes('')) return;
      const place = places.get(text) ?? { path, found: [] };
      places.set(text, place);
      for (const scalar of Array.isArray(value) ? value : [value]) {
        if (scalar !== null && typeof scalar !== 'object') place.found.push(scalar);
      }
    }
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
    for (const [key, member] of Object.entries(value)) visit(member, [...segments, key]);
  };
  for (const event of events) visit(toEventView(event).properties, []);
  return [...places.values()];
}

/** What lies close to a value: the same in another type, a part of it, a neighbour. */
function near(value: Scalar): Scalar[] {
  if (typeof value === 'boolean') return [value, !value, value ? 1 : 0, String(value)];
  if (typeof value === 'number') return [value, String(value), value + 1, value - 1, value / 2, value !== 0];
  const middle = Math.floor(value.length / 2);
  const parts = [value.slice(0, middle), value.slice(middle), value.slice(1, -1)].map((part) =>
    part.toWellFormed(),
  );
  const forms = [value.toUpperCase(), value.normalize('NFC'), value.normalize('NFD'), `${value}a`];
  const number = value.trim() === '' ? NaN : Number(value);
  return [value, value, ...parts, ...forms, ...(Number.isFinite(number) ? [number] : [])];
}

function operandsNear(found: readonly Scalar[]): fc.Arbitrary<Scalar> {
  if (found.length === 0) return scalars;
  const exact = fc.constantFrom(...found);
  const close = exact.chain((value) => fc.constantFrom(...near(value)));
  return fc.oneof(
    { weight: 5, arbitrary: exact },
    { weight: 4, arbitrary: close },
    { weight: 1, arbitrary: scalars },
  );
}

const names = Object.keys(COMPARISONS) as ComparisonName[];
/** The comparisons that a date takes. */
const dateNames = names.filter((name) => COMPARISONS[name].ofDates);

function comparisonsOf(
  property: string,
  operands: fc.Arbitrary<Scalar>,
  comparisons: readonly ComparisonName[],
): fc.Arbitrary<FilterEntry> {
  return fc
    .constantFrom(...comparisons)
    .chain((comparison) =>
      operandsOf(COMPARISONS[comparison].takes, operands).map(
        (value) => ({ property, comparison, value }) as FilterEntry,
      ),
    );
}

function fieldComparisons(events: readonly StoredEvent[]): fc.Arbitrary<FilterEntry> {
  const times = fc.oneof(
    { weight: 1, arbitrary: instants },
    { weight: 3, arbitrary: fc.constantFrom(0, ...events.map(({ eventTs }) => eventTs)) },
  );
  const arrivals = fc.oneof(
    { weight: 1, arbitrary: times },
    { weight: 3, arbitrary: fc.constantFrom(0, ...events.map(({ receivedAt = 1 }) => receivedAt)) },
  );
  const textsOf = (ms: fc.Arbitrary<number>) => fc.oneof(ms.map(toIsoInstant), ms.map(toIsoDay));
  return fc.constantFrom(...EVENT_FIELDS, 'receivedAt' as const).chain((field) => {
    if (field === 'eventDate') return comparisonsOf(field, times.map(toIsoDay), dateNames);
    if (field === 'eventTs') return comparisonsOf(field, textsOf(times), dateNames);
    if (field === 'receivedAt') return comparisonsOf(field, textsOf(arrivals), dateNames);
    return comparisonsOf(field, operandsNear(events.map((event) => event[field])), names);
  });
}

/** Paths that most events do not have: into arrays, onto prototypes, past scalars, nowhere. */
function strayPaths(places: readonly Place[]): fc.Arbitrary<string> {
  const some = fc.constantFrom(
    { root: 'properties', segments: [] } as Path,
    ...places.map(({ path }) => path),
  );
  return fc
    .tuple(some, fc.constantFrom(...KEYS))
    .map(([path, key]) => pathText({ root: 'properties', segments: [...path.segments.slice(0, 8), key] }));
}

/** One comparison, most often on a path and with an operand that some of the events have. */
export function leafFilters(events: readonly StoredEvent[]): fc.Arbitrary<FilterEntry> {
  const places = placesOf(events);
  const stray = strayPaths(places).chain((path) => comparisonsOf(path, scalars, names));
  const onFields = fieldComparisons(events);
  if (places.length === 0) return fc.oneof(stray, onFields);
  const telling = places.filter(({ found }) => found.length > 0);
  const onProperties = fc
    .oneof(
      { weight: telling.length === 0 ? 0 : 5, arbitrary: fc.constantFrom(...telling, places[0]!) },
      { weight: 1, arbitrary: fc.constantFrom(...places) },
    )
    .chain(({ path, found }) => comparisonsOf(pathText(path), operandsNear(found), names));
  return fc.oneof(
    { weight: 6, arbitrary: onProperties },
    { weight: 2, arbitrary: onFields },
    { weight: 1, arbitrary: stray },
  );
}

/** An entry of a `filterSet`: a comparison or a group. */
export function filterEntries(events: readonly StoredEvent[]): fc.Arbitrary<FilterEntry> {
  return fc.letrec<{ entry: FilterEntry; group: FilterEntry }>((tie) => ({
    entry: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      { weight: 5, arbitrary: leafFilters(events) },
      { weight: 1, arbitrary: tie('group') },
    ),
    group: fc.oneof(
      fc.array(tie('entry'), { maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.array(tie('entry'), { maxLength: 3 }).map((allOf) => ({ allOf })),
      tie('entry').map((not) => ({ not })),
    ),
  })).entry;
}
