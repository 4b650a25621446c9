import { invalid } from '../base/errors.ts';
import type { Zones } from '../bounds/zones.ts';
import { isJsonObject } from '../event/event.ts';
import { describeValue } from '../event/text.ts';
import { readingOf, type QuestionReading } from '../query/answer-plan.ts';
import { PAGE_SIZE_MAX } from '../query/body.ts';
import {
  CELLS_MAX,
  seriesOf,
  toMeasuring,
  type Dimension,
  type Grouping,
  type MeasuredGrouping,
  type TimeSeries,
} from '../query/grouping.ts';
import type { EventQuery } from '../query/event-query.ts';
import {
  parseBreakdownBody,
  parseCountBody,
  parseExportBody,
  parseQueryBody,
  parseTailBody,
  parseTopBody,
} from '../query/parse-query.ts';
import { parseCompareBody } from '../query/parse-compare.ts';
import { parseRetentionBody } from '../query/parse-retention.ts';
import { parseSequenceBody } from '../query/parse-sequence.ts';
import { parseUsersBody } from '../query/parse-users.ts';
import { EVENT_NAME } from '../filter/path.ts';
import type { QuestionName } from '../query/questions.ts';
import type { AskedStreams } from '../query/streams.ts';
import {
  toUnderstoodBody,
  toUnderstoodBreakdown,
  toUnderstoodCompare,
  toUnderstoodCount,
  toUnderstoodExport,
  toUnderstoodRetention,
  toUnderstoodSequence,
  toUnderstoodTail,
  toUnderstoodTop,
  toUnderstoodUsers,
  type UnderstoodBody,
} from './understood.ts';

/** What bounds an answer: how much of each there is at most. What is not bounded, or not there, is absent. */
export interface AnswerBounds {
  /** Events of a page, or of an answer of a tail. */
  readonly events?: number;
  /** Users of a page. */
  readonly users?: number;
  /** Groups of a breakdown or a sequence: the rows of two dimensions. */
  readonly groups?: number;
  /** Columns of two dimensions. */
  readonly columns?: number;
  /** Cells of two dimensions. */
  readonly cells?: number;
  /** Rows of a comparison. */
  readonly rows?: number;
  /** Cohorts of a retention. */
  readonly cohorts?: number;
  /** Periods for which each of them is followed. */
  readonly periods?: number;
}

/** What of a question is explained. */
interface Explained<Name extends QuestionName> {
  /** The equivalent body. */
  readonly body: UnderstoodBody<Name>;
  readonly reading: QuestionReading;
  /** How time is cut, if it is. */
  readonly series?: TimeSeries | undefined;
  /** What bounds the answer, if time has so many pieces. */
  readonly atMost: (pieces: number) => AnswerBounds;
}

/** A question that is to be explained. */
export interface AskedExplanation extends Explained<QuestionName> {
  readonly question: QuestionName;
  /** The events that it is about. */
  readonly query: EventQuery;
  /** The time zone of the body, as it was asked for; absent where the body names none. */
  readonly timeZone?: string;
}

/** Reads the body of a question, as the question itself does, and says what is explained of it. */
type ExplainRow<Name extends QuestionName> = (body: unknown, zones?: Zones) => Explained<Name>;

/**
 * Every question that has a body, and how it is explained. A question is declared here, and so the engine,
 * the API over HTTP, the client and its command explain it.
 */
const EXPLAINED: { readonly [Name in QuestionName]: ExplainRow<Name> } = {
  query: (body, zones) => {
    const asked = parseQueryBody(body, zones);
    const atMost = () => ({ events: asked.page.size });
    return { body: toUnderstoodBody(asked), reading: readingOf('query', asked.query), atMost };
  },
  count: (body, zones) => {
    const query = parseCountBody(body, zones);
    return { body: toUnderstoodCount(query), reading: readingOf('count', query), atMost: () => ({}) };
  },
  breakdown: (body, zones) => {
    const asked = parseBreakdownBody(body, zones);
    const { query, grouping } = asked;
    return {
      ...{ body: toUnderstoodBreakdown(asked), reading: toGroupsReading(query, grouping) },
      ...{ series: seriesOf(grouping), atMost: (pieces) => groupBounds(grouping, pieces) },
    };
  },
  sequence: (body, zones) => {
    const asked = parseSequenceBody(body, zones);
    const { query, streams, steps, by, size } = asked;
    const series = by !== undefined && 'unit' in by ? by : undefined;
    const uses = streams.bits.map((_, i) => (i < steps ? 'steps' : 'without'));
    const bounds = (pieces: number) => ({ groups: Math.min(size, series === undefined ? Infinity : pieces) });
    return {
      ...{ body: toUnderstoodSequence(asked), series },
      reading: toStreamsReading(query, streams, uses, series !== undefined),
      atMost: by === undefined ? () => ({}) : bounds,
    };
  },
  users: (body, zones) => {
    const asked = parseUsersBody(body, zones);
    const { query, streams, having, size } = asked;
    const ofSequence = streams.bits.length - having.length;
    const uses = streams.bits.map((_, i) => (i < ofSequence ? 'sequence' : 'having'));
    const reading = toStreamsReading(query, streams, uses, false);
    return { body: toUnderstoodUsers(asked), reading, atMost: () => ({ users: size }) };
  },
  retention: (body, zones) => {
    const asked = parseRetentionBody(body, zones);
    const { query, streams, series, periods } = asked;
    const uses = streams.bits.map(() => 'steps' as const);
    return {
      ...{ body: toUnderstoodRetention(asked), series },
      reading: toStreamsReading(query, streams, uses, true),
      atMost: (pieces) => ({ cohorts: pieces, periods }),
    };
  },
  compare: (body, zones) => {
    const asked = parseCompareBody(body, zones);
    // The paths of properties are chosen once it is asked.
    const { query, isSelected, paths = [EVENT_NAME], size } = asked;
    const reading: QuestionReading = {
      ...readingOf('breakdown', query),
      conditions: [{ condition: isSelected, for: 'selected' }],
      paths: paths.map((path) => ({ path, for: 'paths' })),
    };
    return { body: toUnderstoodCompare(asked), reading, atMost: () => ({ rows: size }) };
  },
  top: (body, zones) => {
    const asked = parseTopBody(body, zones);
    const { query, ranking } = asked;
    const reading: QuestionReading = { ...readingOf('top', query), paths: [{ path: ranking.of, for: 'of' }] };
    return { body: toUnderstoodTop(asked), reading, atMost: () => ({ events: ranking.size }) };
  },
  tail: (body, zones) => {
    const asked = parseTailBody(body, zones);
    const atMost = () => ({ events: PAGE_SIZE_MAX });
    return { body: toUnderstoodTail(asked), reading: readingOf('since', asked.query), atMost };
  },
  export: (body, zones) => {
    const asked = parseExportBody(body, zones);
    return { body: toUnderstoodExport(asked), reading: readingOf('query', asked.query), atMost: () => ({}) };
  },
};

/** The names of the questions. Pure, so that bundles without explanations leave them out. */
export const QUESTION_NAMES = /* @__PURE__ */ Object.keys(EXPLAINED) as readonly QuestionName[];

/**
 * Reads the body of an explanation: that of a question, and its name. Throws ApiError (400), as the question
 * itself does.
 */
export function parseExplainBody(body: unknown, zones?: Zones): AskedExplanation {
  const { question, rest } = splitQuestion(body);
  const explained = EXPLAINED[question](rest, zones);
  const { timeZone } = rest as { readonly timeZone?: string };
  const named = timeZone === undefined ? {} : { timeZone };
  return { question, query: explained.reading.query, ...explained, ...named };
}

function splitQuestion(body: unknown): { readonly question: QuestionName; readonly rest: unknown } {
  if (!isJsonObject(body) || !Object.hasOwn(body, 'question')) return { question: 'query', rest: body };
  const { question: named = 'query', ...rest } = body;
  const question = QUESTION_NAMES.find((name) => name === named);
  if (question !== undefined) return { question, rest };
  throw invalid('question', `takes one of ${QUESTION_NAMES.join(', ')}; got ${describeValue(named)}`);
}

function toGroupsReading(query: EventQuery, grouping: Grouping | MeasuredGrouping): QuestionReading {
  const { by, columns, distinct, measures } = toMeasuring(grouping);
  const dimensions = [by, columns?.by].flatMap((each) =>
    each === undefined || 'unit' in each ? [] : [each],
  );
  return {
    ...{ method: 'measures' in grouping ? 'measure' : 'breakdown', query, conditions: [] },
    paths: [
      ...dimensions.map((path) => ({ path, for: 'by' as const })),
      ...(distinct === undefined ? [] : [{ path: distinct, for: 'distinct' as const }]),
      ...measures.map(({ of }) => ({ path: of, for: 'measures' as const })),
    ],
    isCut: seriesOf(grouping) !== undefined,
  };
}

function toStreamsReading(
  query: EventQuery,
  { distinct, bits, same, by }: AskedStreams,
  uses: readonly QuestionReading['conditions'][number]['for'][],
  isCut: boolean,
): QuestionReading {
  return {
    ...{ method: 'streams', query, isCut },
    conditions: bits.map((condition, i) => ({ condition, for: uses[i]! })),
    paths: [
      { path: distinct, for: 'distinct' },
      ...same.map((path) => ({ path, for: 'same' as const })),
      ...(by === undefined ? [] : [{ path: by, for: 'by' as const }]),
    ],
  };
}

function groupBounds(grouping: Grouping | MeasuredGrouping, pieces: number): AnswerBounds {
  const { by, size, columns } = toMeasuring(grouping);
  if (by === undefined) return {};
  const most = (each: Dimension, cells = Infinity) =>
    'unit' in each.by ? Math.min(each.size, pieces, cells) : each.size;
  if (columns === undefined) return { groups: most({ by, size }) };
  // More buckets than have a cell each are refused.
  const groups = most({ by, size }, Math.floor(CELLS_MAX / columns.size));
  const crossed = most(columns, Math.floor(CELLS_MAX / size));
  return { groups, columns: crossed, cells: groups * crossed };
}
