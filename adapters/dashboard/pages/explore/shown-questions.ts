import type { BreakdownBody, CompareBody, CountBody, QueryBody, TopBody } from '../../../../src/index.ts';
import { askedFor, type Measure } from '../address/measure.ts';
import { toPath } from '../address/paths.ts';
import { rankingOf } from '../address/question.ts';
import { isUnit } from '../time/unit.ts';
import type { AskedQuestion } from './asked-question.ts';
import { questionOfDiffering } from './differing.ts';
import { shortPath } from './event-table.tsx';
import { questionOfGroups } from './group-search.ts';
import { optionsOf } from './histogram.tsx';
import { firstQuestion } from './series.ts';

/** How many rows and how many columns a table of two paths has. */
const CROSSED_SIZE = 10;
/** The question for a table of two paths. */
export const questionOfCrossed = (body: CountBody, by: string, and: string, measure: Measure) =>
  ({
    ...{ ...body, by: [by, and] as const, size: [CROSSED_SIZE, CROSSED_SIZE] as const },
    ...askedFor(measure),
  }) satisfies BreakdownBody;

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
  const differing = against === '' ? undefined : questionOfDiffering(asked, against);
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
    differing && { name: 'What differs', method: 'compare', body: differing },
  ];
  return found.filter((each) => each !== undefined);
}
