import { hideCredentials } from '../base/credentials.ts';
import type { Condition } from '../filter/condition.ts';
import { DAY_MS } from '../event/time.ts';
import { pathText } from '../filter/path.ts';
import type { EventQuery } from '../query/event-query.ts';
import type { Grouping } from '../query/grouping.ts';
import { toHundredths } from './finished.ts';

/** What a question asks, for the log: never a value, nor the name of an event. */
export interface QuestionShape {
  /** How many comparisons it has, the one with the name of an event and those of times included. */
  readonly filters: number;
  /** The paths that it compares or groups by, each once and the first of many. */
  readonly paths: readonly string[];
  /** The operators, each once; a negative one counts as its positive. */
  readonly operators: readonly string[];
  /** The length of its range of time in days; undefined where it is open at an end. */
  readonly days: number | undefined;
}

/** A question as a body was parsed: the query alone, or with how to answer it. */
type Parsed = EventQuery | { readonly query: EventQuery; readonly grouping?: Grouping };

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
  if ('query' in parsed && parsed.grouping !== undefined) {
    const { by, distinct } = parsed.grouping;
    paths.add('unit' in by ? 'eventTs' : pathText(by));
    if (distinct !== undefined) paths.add(pathText(distinct));
  }
  const days = (until - from) / DAY_MS;
  return {
    filters,
    paths: [...paths].slice(0, PATHS_MAX).map((path) => hideCredentials(path.slice(0, PATH_LENGTH_MAX))),
    operators: [...operators],
    days: Number.isFinite(days) ? toHundredths(days) : undefined,
  };
}

function isParsed(parsed: unknown): parsed is Parsed {
  if (typeof parsed !== 'object' || parsed === null) return false;
  return 'condition' in parsed || 'query' in parsed;
}
