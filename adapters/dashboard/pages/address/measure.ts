import type { BreakdownBody, FigureName } from '../../../../src/index.ts';
import type { Told } from '../../../../src/store-kit.ts';

/** What is told of some events: how many they are, how many values they have at a path, or one figure. */
export interface Measure {
  readonly take: 'events' | 'distinct' | FigureName;
  /** The path; empty for the number of events. */
  readonly of: string;
}

/** A figure; null where there is none, such as the average of no numbers. */
export type MaybeFigure = number | null;

/** The number of events. */
export const EVENTS: Measure = { take: 'events', of: '' };

/** What is taken of numbers, with the words for it. */
export const FIGURES: readonly (readonly [take: FigureName, text: string])[] = [
  ['sum', 'Sum'],
  ['avg', 'Average'],
  ['p50', 'Median'],
  ['p90', '90th percentile'],
  ['p95', '95th percentile'],
  ['p99', '99th percentile'],
  ['min', 'Smallest'],
  ['max', 'Largest'],
];

const FIGURE_PATTERN = /^(?:sum|avg|min|max|p(?:100(?:\.0{1,3})?|[1-9]?\d(?:\.\d{1,3})?))$/;

/** The measure that an address names as `PATH: TAKE`; undefined if it is none. */
export function measureIn(text: string): Measure | undefined {
  if (text === '') return EVENTS;
  const at = text.lastIndexOf(': ');
  const [of, take] = [text.slice(0, at), text.slice(at + 2)];
  if (at <= 0) return undefined;
  if (take === 'distinct') return { take, of };
  return FIGURE_PATTERN.test(take) && of.startsWith('properties.')
    ? { take: take as FigureName, of }
    : undefined;
}

/** How an address names a measure; empty for the number of events. */
export const measureText = ({ take, of }: Measure): string => (take === 'events' ? '' : `${of}: ${take}`);

/** What of a breakdown asks for a measure. */
export function askedFor({ take, of }: Measure): Pick<BreakdownBody, 'distinct' | 'measures'> {
  if (take === 'events') return {};
  return take === 'distinct' ? { distinct: of } : { measures: [{ of, take: [take] }] };
}

/** The figure of a measure in what an answer tells of some events. */
export function figureIn(told: Told, { take }: Measure): MaybeFigure {
  if (take === 'events') return told.count;
  if (take === 'distinct') return told.distinct ?? 0;
  const figures = told.measures?.[0] as Readonly<Record<string, MaybeFigure>> | undefined;
  return figures?.[take] ?? null;
}

/** Whether the figures of parts add up to that of the whole, and so can stand on each other. */
export const addsUp = ({ take }: Measure): boolean => take === 'events' || take === 'sum';

/** Whether the figures are whole numbers. */
export const isWholeNumber = ({ take }: Measure): boolean => take === 'events' || take === 'distinct';

/** A measure in words that begin no sentence. The path in it keeps its capitals. */
export const measureLabel = (measure: Measure): string =>
  measureWords(measure).replace(/^[A-Z]/, (first) => first.toLowerCase());

/** A measure in words, such as `Sum of total`. */
export function measureWords({ take, of }: Measure): string {
  if (take === 'events') return 'Events';
  const path = of.replace(/^properties\./, '');
  if (take === 'distinct') return `Distinct ${path}`;
  return `${FIGURES.find(([each]) => each === take)?.[1] ?? take} of ${path}`;
}
