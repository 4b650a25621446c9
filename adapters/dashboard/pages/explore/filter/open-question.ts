import type { CountBody } from '../../../../../src/index.ts';

/** What the values that a filter may take are suggested for: a question without this filter. */
export interface OpenQuestion {
  readonly body: CountBody;
  /** The question without its instant. */
  readonly subject: string;
  /** The instant of the question. */
  readonly since: number;
}

/**
 * A question without one of its filters, which is given as JSON; undefined leaves out none. All else of it
 * stays, its range of time too.
 */
export function withoutFilter(asked: OpenQuestion, filter: string | undefined): OpenQuestion {
  const { filterSet = [], ...rest } = asked.body;
  // The filters of the address stand before the ends of its range, of which one may be the same.
  const at = filterSet.findIndex((entry) => JSON.stringify(entry) === filter);
  if (at === -1) return asked;
  const others = filterSet.toSpliced(at, 1);
  const body = others.length === 0 ? rest : { ...rest, filterSet: others };
  return { body, subject: JSON.stringify([asked.subject, at]), since: asked.since };
}
