import * as fc from 'fast-check';
import type { UsersBody } from '../../src/core/query/body.ts';
import { EVERYTHING } from '../conformance/expected.ts';
import type { AskedCompare } from '../../src/core/query/compare.ts';
import { parseCompareBody } from '../../src/core/query/parse-compare.ts';
import { parseRetentionBody } from '../../src/core/query/parse-retention.ts';
import type { AskedRetention } from '../../src/core/query/retention.ts';
import { parseSequenceBody } from '../../src/core/query/parse-sequence.ts';
import type { AskedSequence } from '../../src/core/query/sequence.ts';
import type {
  EventQuery,
  Grouping,
  MeasuredGrouping,
  Page,
  Ranking,
  StoredEvent,
} from '../../src/store-kit.ts';
import { createZones } from '../../src/transport-kit.ts';
import { compareBodies } from '../conformance/arbitraries/comparisons.ts';
import { batchesOf, instants } from '../conformance/arbitraries/events.ts';
import { groupings } from '../conformance/arbitraries/groupings.ts';
import { measuredBatches, measurings } from '../conformance/arbitraries/measurings.ts';
import { rankedExamples } from '../conformance/arbitraries/rankings.ts';
import {
  retentionBodies,
  sequenceBodies,
  usersBodies,
  steppingBatches,
} from '../conformance/arbitraries/sequences.ts';
import { queries } from '../conformance/arbitraries/queries.ts';
import { INSERT_IDS } from '../conformance/arbitraries/traps.ts';

/** How many questions of all kinds are asked of the same events, one by one: each is a case. */
const QUESTIONS = 100;
/** How many counts are asked of them besides, many at once: each is a case too. */
const COUNTS = 400;
/** How many cases an example is, of all kinds or of some. */
export const casesOf = (only?: readonly Kind[]) => (only === undefined ? QUESTIONS + COUNTS : QUESTIONS);

const ZONES = createZones();

/**
 * A question: a count, a page, groups, measures, the first by numbers, a sequence, retention, users, or what
 * differs.
 */
export interface Question {
  readonly query: EventQuery;
  readonly page?: Page;
  readonly grouping?: Grouping;
  readonly measuring?: MeasuredGrouping;
  readonly ranking?: Ranking;
  readonly sequence?: AskedSequence;
  readonly retention?: AskedRetention;
  readonly users?: UsersBody;
  readonly compared?: AskedCompare;
}

/** What a tenant is sent, and what is asked of it then. */
export interface Example {
  readonly batches: readonly (readonly StoredEvent[])[];
  readonly namesMax: number;
  /** Whether something is erased at the end, all where there is no query, and the first batch sent again. */
  readonly erasure: { readonly query?: EventQuery } | undefined;
  readonly asked: readonly Question[];
  /** Only counts, many at once. */
  readonly counted: readonly Question[];
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

/** Most have few events, so that a wrong answer is easy to read; some cross every boundary of columns. */
const batches = fc.oneof(
  { weight: 3, arbitrary: batchesOf({ batches: 3, size: 25 }) },
  { weight: 1, arbitrary: batchesOf({ batches: 3, size: 200 }) },
  { weight: 2, arbitrary: measuredBatches(25) },
  { weight: 1, arbitrary: measuredBatches(200) },
  { weight: 2, arbitrary: steppingBatches(40) },
  { weight: 1, arbitrary: steppingBatches(200) },
);

function sequences(events: readonly StoredEvent[]): fc.Arbitrary<Question> {
  return sequenceBodies(events).map((body) => {
    const sequence = parseSequenceBody(body);
    return { query: sequence.query, sequence };
  });
}

function retentions(events: readonly StoredEvent[]): fc.Arbitrary<Question> {
  return retentionBodies(events).map((body) => {
    const retention = parseRetentionBody(body);
    return { query: retention.query, retention };
  });
}

function comparisons(events: readonly StoredEvent[]): fc.Arbitrary<Question> {
  return compareBodies(events).map((body) => {
    const compared = parseCompareBody(body, ZONES);
    return { query: compared.query, compared };
  });
}

/** The kinds of questions that are asked one by one, and how often. */
const KINDS = {
  page: { weight: 2, of: (events) => fc.record({ query: queries(events), page: pages(events) }) },
  count: { weight: 1, of: (events) => fc.record({ query: queries(events) }) },
  breakdown: { weight: 1, of: groupings },
  measure: { weight: 1, of: measurings },
  top: { weight: 1, of: rankedExamples },
  sequence: { weight: 1, of: sequences },
  retention: { weight: 1, of: retentions },
  compare: { weight: 1, of: comparisons },
  users: { weight: 1, of: (events) => usersBodies(events).map((users) => ({ query: EVERYTHING, users })) },
} satisfies Record<
  string,
  { weight: number; of: (events: readonly StoredEvent[]) => fc.Arbitrary<Question> }
>;

/** The name of a kind of question. */
export type Kind = keyof typeof KINDS;

/** Reads names of kinds, with commas between them; throws for one that is none. */
export function readKinds(text: string): readonly Kind[] {
  const names = text.split(',');
  const strange = names.find((name) => !Object.hasOwn(KINDS, name));
  if (strange === undefined) return names as Kind[];
  throw new Error(`--only takes ${Object.keys(KINDS).join(', ')}; got ${strange}`);
}

/**
 * Examples made by the generators of the conformance suite, so that questions hit: of some kinds, or of all
 * and with counts besides.
 */
export const examplesOf = (only?: readonly Kind[]): fc.Arbitrary<Example> =>
  batches.chain((sent) => {
    const events = sent.flat();
    const kinds = only ?? (Object.keys(KINDS) as Kind[]);
    const question = fc.oneof(
      ...kinds.map((kind) => ({ weight: KINDS[kind].weight, arbitrary: KINDS[kind].of(events) })),
    );
    const counts = only === undefined ? COUNTS : 0;
    return fc.record({
      batches: fc.constant(sent),
      namesMax: fc.oneof({ weight: 4, arbitrary: fc.constant(Infinity) }, fc.integer({ min: 1, max: 5 })),
      erasure: fc.oneof(
        { weight: 2, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.constant({}) },
        { weight: 2, arbitrary: fc.record({ query: queries(events) }) },
      ),
      asked: fc.array(question, { minLength: QUESTIONS, maxLength: QUESTIONS }),
      counted: fc.array(fc.record({ query: queries(events) }), { minLength: counts, maxLength: counts }),
    });
  });
