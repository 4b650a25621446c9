import { hideCredentials } from '../base/credentials.ts';
import type { Condition } from '../filter/condition.ts';
import { DAY_MS } from '../event/time.ts';
import type { InstantRange } from '../filter/instants.ts';
import { pathText } from '../filter/path.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { AskedCompare } from '../query/compare.ts';
import {
  toMeasuring,
  type GroupPath,
  type Grouping,
  type MeasuredGrouping,
  type TimeSeries,
} from '../query/grouping.ts';
import type { Ranking } from '../query/ranking.ts';
import type { AskedStreams } from '../query/streams.ts';
import { toHundredths } from './finished.ts';

/** What a question asks, for the log: never a value, nor the name of an event. */
export interface QuestionShape {
  /** How many comparisons it has, the one with the name of an event and those of times included. */
  readonly filters: number;
  /** The paths that it compares, groups by or takes numbers from, each once and the first of many. */
  readonly paths: readonly string[];
  /** The operators, each once; a negative one counts as its positive. */
  readonly operators: readonly string[];
  /** The length of its range of time in days; undefined where it is open at an end. */
  readonly days: number | undefined;
}

/** A query with how to answer it. */
interface ParsedAnswer extends Partial<Pick<AskedCompare, 'isSelected' | 'paths'>> {
  readonly query: EventQuery;
  /** Of a question about users: its range of time, to which its query adds what comes later. */
  readonly range?: InstantRange;
  readonly grouping?: Grouping | MeasuredGrouping;
  readonly ranking?: Ranking;
  readonly streams?: AskedStreams;
  readonly series?: TimeSeries;
  readonly by?: GroupPath | TimeSeries | undefined;
}

/** A question as a body was parsed: the query alone, or with how to answer it. */
type Parsed = EventQuery | ParsedAnswer;

/** A client chooses its paths: these many, and so much of each, are enough to find a question again. */
const PATHS_MAX = 20;
const PATH_LENGTH_MAX = 100;

/** The shape of a parsed question; undefined for one that has no filters, such as the names of events. */
export function toShape(parsed: unknown): QuestionShape | undefined {
  if (!isParsed(parsed)) return undefined;
  const asked: ParsedAnswer = 'query' in parsed ? parsed : { query: parsed };
  const { query, range = query, isSelected, streams } = asked;
  const paths = new Set<string>();
  const operators = new Set<string>();
  let filters = 0;

  function visit(each: Condition): void {
    switch (each.kind) {
      case 'test':
        filters += 1;
        paths.add(pathText(each.path));
        operators.add(each.operator);
        return;
      case 'during':
        filters += 1;
        paths.add('eventTs');
        return;
      case 'not':
        visit(each.of);
        return;
      default:
        each.of.forEach(visit);
    }
  }

  visit(query.condition);
  streams?.bits.forEach(visit);
  if (isSelected !== undefined) visit(isSelected);
  for (const path of askedPaths(asked)) paths.add(path);
  const days = (range.until - range.from) / DAY_MS;
  return {
    filters,
    paths: [...paths].slice(0, PATHS_MAX).map((path) => hideCredentials(path.slice(0, PATH_LENGTH_MAX))),
    operators: [...operators],
    days: Number.isFinite(days) ? toHundredths(days) : undefined,
  };
}

/** The paths that a question names besides its filters. */
function askedPaths({ grouping, ranking, streams, series, by, paths = [] }: ParsedAnswer): string[] {
  const measuring = grouping && toMeasuring(grouping);
  const named = [
    ...[ranking?.of, measuring?.by, measuring?.columns?.by, measuring?.distinct],
    ...(measuring?.measures ?? []).map(({ of }) => of),
    ...[streams?.distinct, ...(streams?.same ?? []), by, series],
    ...paths,
  ];
  return named
    .filter((each) => each !== undefined)
    .map((each) => ('unit' in each ? 'eventTs' : pathText(each)));
}

function isParsed(parsed: unknown): parsed is Parsed {
  if (typeof parsed !== 'object' || parsed === null) return false;
  return 'condition' in parsed || 'query' in parsed;
}
