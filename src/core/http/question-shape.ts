import { hideCredentials } from '../base/credentials.ts';
import type { Condition } from '../filter/condition.ts';
import { DAY_MS } from '../event/time.ts';
import { pathText } from '../filter/path.ts';
import type { EventQuery } from '../query/event-query.ts';
import { toMeasuring, type Grouping, type MeasuredGrouping } from '../query/grouping.ts';
import type { Ranking } from '../query/ranking.ts';
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

/** A question as a body was parsed: the query alone, or with how to answer it. */
type Parsed =
  | EventQuery
  | {
      readonly query: EventQuery;
      readonly grouping?: Grouping | MeasuredGrouping;
      readonly ranking?: Ranking;
    };

/** A client chooses its paths: these many, and so much of each, are enough to find a question again. */
const PATHS_MAX = 20;
const PATH_LENGTH_MAX = 100;

/** The shape of a parsed question; undefined for one that has no filters, such as the names of events. */
export function toShape(parsed: unknown): QuestionShape | undefined {
  if (!isParsed(parsed)) return undefined;
  const { from, until, condition } = 'query' in parsed ? parsed.query : parsed;
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

  visit(condition);
  if ('query' in parsed) for (const path of askedPaths(parsed)) paths.add(path);
  const days = (until - from) / DAY_MS;
  return {
    filters,
    paths: [...paths].slice(0, PATHS_MAX).map((path) => hideCredentials(path.slice(0, PATH_LENGTH_MAX))),
    operators: [...operators],
    days: Number.isFinite(days) ? toHundredths(days) : undefined,
  };
}

/** The paths that a question names besides its filters. */
function askedPaths({ grouping, ranking }: Exclude<Parsed, EventQuery>): string[] {
  const paths = ranking === undefined ? [] : [pathText(ranking.of)];
  if (grouping === undefined) return paths;
  const { by, columns, distinct, measures } = toMeasuring(grouping);
  for (const each of [by, columns?.by])
    if (each !== undefined) paths.push('unit' in each ? 'eventTs' : pathText(each));
  if (distinct !== undefined) paths.push(pathText(distinct));
  return [...paths, ...measures.map(({ of }) => pathText(of))];
}

function isParsed(parsed: unknown): parsed is Parsed {
  if (typeof parsed !== 'object' || parsed === null) return false;
  return 'condition' in parsed || 'query' in parsed;
}
