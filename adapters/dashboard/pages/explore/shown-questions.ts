import type { BreakdownBody, CompareBody, CountBody, QueryBody, TopBody } from '../../../../src/index.ts';
import { askedFor, type Measure } from '../address/measure.ts';
import { toPath } from '../address/paths.ts';
import { rankingOf } from '../address/question.ts';
import { timeOfBoth } from '../time/against.ts';
import { isUnit, type TimeRange } from '../time/unit.ts';
import { within, withoutRange, type AskedQuestion } from './asked-question.ts';
import { shortPath } from './event-table.tsx';
import { questionOfGroups } from './group-search.ts';
import { optionsOf } from './histogram.tsx';
import { firstQuestion } from './series.ts';

/** How many rows and how many columns a table of two paths has. */
const CROSSED_SIZE = 10;
/** How many rows what differs has. */
const DIFFERENCES_SIZE = 20;

/** The question for a table of two paths. */
export const questionOfCrossed = (body: CountBody, by: string, and: string, measure: Measure) =>
  ({
    ...{ ...body, by: [by, and] as const, size: [CROSSED_SIZE, CROSSED_SIZE] as const },
    ...askedFor(measure),
  }) satisfies BreakdownBody;

/** The events of both times, of which those of the range shown are selected. */
export const questionOfDiffering = (
  { body, range }: Pick<AskedQuestion, 'body' | 'range'>,
  both: TimeRange,
): CompareBody => ({
  ...{ ...within(withoutRange(body), both), selected: within({}, range) },
  size: DIFFERENCES_SIZE,
});

/** A question whose answer is on the page, as the Query API has it. */
export interface ShownQuestion {
  /** What the page calls the answer. */
  readonly name: string;
  /** The method of the client, which is the path of the API too, except for rows. */
  readonly method: 'query' | 'top' | 'count' | 'breakdown' | 'compare';
  readonly body: QueryBody | TopBody | CountBody | BreakdownBody | CompareBody;
}

/** The questions whose answers the explorer shows at a place: rows, count, chart, and what it is cut by. */
export function questionsShown(asked: AskedQuestion, parameters: URLSearchParams): readonly ShownQuestion[] {
  const { body } = asked;
  const ranking = rankingOf(parameters);
  const options = optionsOf(parameters);
  const { by, measure } = options;
  const chart = firstQuestion(asked, options);
  const and = parameters.get('and') ?? '';
  const against = parameters.get('against') ?? '';
  const both = against === '' ? undefined : timeOfBoth(asked, against);
  const found: readonly (ShownQuestion | undefined)[] = [
    ranking === undefined
      ? { name: 'Events', method: 'query', body }
      : { name: 'Events', method: 'top', body: { ...body, ...ranking } },
    { name: 'Count', method: 'count', body },
    chart && { name: 'Over time', method: 'breakdown', body: chart },
    by === undefined
      ? undefined
      : { name: `Break down by ${shortPath(by)}`, method: 'breakdown', body: questionOfGroups(body, by) },
    by === undefined || and === '' || isUnit(and)
      ? undefined
      : {
          ...{ name: `${shortPath(by)} by ${shortPath(toPath(and))}`, method: 'breakdown' },
          body: questionOfCrossed(body, by, toPath(and), measure),
        },
    both && { name: 'What differs', method: 'compare', body: questionOfDiffering(asked, both) },
  ];
  return found.filter((each) => each !== undefined);
}
