import * as fc from 'fast-check';
import type { EventQuery, Page, StoredEvent } from '../../src/index.ts';
import { batchesOf, instants } from '../conformance/arbitraries/events.ts';
import { queries } from '../conformance/arbitraries/queries.ts';
import { INSERT_IDS } from '../conformance/arbitraries/traps.ts';

/** How many questions are asked of the same events: each is a case. */
export const QUESTIONS = 50;

/** A question: how many events match, or a page of them. */
export interface Question {
  readonly query: EventQuery;
  /** Absent: only their number is asked. */
  readonly page?: Page;
}

/** What a tenant is sent, and what is asked of it then. */
export interface Example {
  readonly batches: readonly (readonly StoredEvent[])[];
  readonly namesMax: number;
  /** Whether everything is erased at the end, and the first batch sent again. */
  readonly erases: boolean;
  readonly asked: readonly Question[];
}

function pages(events: readonly StoredEvent[]): fc.Arbitrary<Page> {
  const places = fc.record({ eventTs: instants, insertId: fc.constantFrom(...INSERT_IDS) });
  const positions = fc
    .oneof(places, fc.constantFrom(...events))
    .map(({ eventTs, insertId }) => ({ eventTs, insertId }));
  return fc.oneof(
    { weight: 3, arbitrary: fc.constant({ offset: 0, size: 1000 }) },
    {
      weight: 1,
      arbitrary: fc.record({ offset: fc.nat({ max: 20 }), size: fc.integer({ min: 1, max: 20 }) }),
    },
    {
      weight: 2,
      arbitrary: fc
        .tuple(positions, fc.integer({ min: 1, max: 20 }))
        .map(([after, size]) => ({ offset: 0, size, after })),
    },
  );
}

/** Examples made by the generators of the conformance suite, so that questions hit. */
export const examples: fc.Arbitrary<Example> = batchesOf({ batches: 3, size: 25 }).chain((batches) => {
  const events = batches.flat();
  const question = fc
    .tuple(queries(events), fc.oneof({ weight: 2, arbitrary: pages(events) }, fc.constant(undefined)))
    .map(([query, page]): Question => (page === undefined ? { query } : { query, page }));
  return fc.record({
    batches: fc.constant(batches),
    namesMax: fc.oneof({ weight: 4, arbitrary: fc.constant(Infinity) }, fc.integer({ min: 1, max: 5 })),
    erases: fc.oneof({ weight: 7, arbitrary: fc.constant(false) }, fc.constant(true)),
    asked: fc.array(question, { minLength: QUESTIONS, maxLength: QUESTIONS }),
  });
});
