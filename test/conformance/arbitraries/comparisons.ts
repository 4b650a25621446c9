import * as fc from 'fast-check';
import { pathText } from '../../../src/core/filter/path.ts';
import type { CompareBody, CountBody } from '../../../src/index.ts';
import { toIsoInstant, type StoredEvent } from '../../../src/store-kit.ts';
import { pathsOf } from './groupings.ts';
import { bodies } from './queries.ts';

/** Paths that are no id or instant of one event. */
const isShared = (path: string) => !['insertId', 'eventTs', 'receivedAt'].includes(path);

/** What is selected has the zone of the body around it. */
function withoutZone(body: CountBody): CompareBody['selected'] {
  return Object.fromEntries(Object.entries(body).filter(([name]) => name !== 'timeZone'));
}

/** Any body of a question about what differs, most often one with events in both sets. */
export function compareBodies(events: readonly StoredEvent[]): fc.Arbitrary<CompareBody> {
  const paths = fc.uniqueArray(pathsOf(events).map(pathText).filter(isShared), {
    minLength: 1,
    maxLength: 5,
  });
  // A body restricts much: without one, both sets have events more often.
  const around = fc.oneof(
    { weight: 3, arbitrary: fc.constant({}) },
    { weight: 2, arbitrary: bodies(events) },
  );
  const plain = fc
    .constantFrom(...events)
    .chain(({ eventName, eventTs }) =>
      fc.constantFrom(
        { event: eventName },
        { from: toIsoInstant(eventTs) },
        { until: toIsoInstant(eventTs) },
      ),
    );
  const parts: fc.Arbitrary<CountBody> = fc.oneof(bodies(events), plain);
  return fc
    .tuple(around, parts, fc.option(paths, { nil: undefined }), fc.constantFrom(1, 2, 5, 100))
    .map(([body, selected, chosen, size]) => ({
      ...{ ...body, selected: withoutZone(selected), size },
      ...(chosen === undefined ? {} : { paths: chosen }),
    }));
}
