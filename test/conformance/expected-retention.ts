import { toEventView, type EventView } from '../../src/core/filter/predicate.ts';
import { compilePredicate } from '../../src/core/query/predicate.ts';
import type { AskedRetention, Retention } from '../../src/core/query/retention.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
import { bucketOf, bucketsOf, valueAt } from './expected-breakdown.ts';
import { compareNewestFirst } from './expected.ts';

const DAYS = { day: 1, week: 7, month: NaN } as const;

/** An event of a value: what it is, and in its place. */
interface Seen {
  readonly view: EventView;
  readonly isStart: boolean;
  readonly isReturn: boolean;
}

/**
 * What a retention means, as plainly as it can be said: of each value its first start in the range, and the
 * periods of all returns behind it. Undefined for too many cohorts.
 */
export function retentionOf(events: readonly StoredEvent[], asked: AskedRetention): Retention | undefined {
  const { query, streams, range, periods } = asked;
  const { unit } = asked.series;
  const series = { ...asked.series, from: -Infinity, until: Infinity };
  const isSelected = compilePredicate(query, { codeGeneration: false });
  const [isStart, isReturn] = streams.bits.map((condition) =>
    compilePredicate({ from: -Infinity, until: Infinity, condition }, { codeGeneration: false }),
  );
  const byKey = new Map<unknown, Seen[]>();
  let missing = 0;
  for (const view of [...events].sort(compareNewestFirst).reverse().map(toEventView).filter(isSelected)) {
    const isIn = view.eventTs >= range.from && view.eventTs < range.until;
    const seen = { view, isStart: isStart!(view) && isIn, isReturn: isReturn!(view) };
    const key = valueAt(view, streams.distinct);
    if (!['string', 'number', 'boolean'].includes(typeof key))
      missing += isIn && (isStart!(view) || isReturn!(view)) ? 1 : 0;
    else byKey.set(key, [...(byKey.get(key) ?? []), seen]);
  }
  /** The number of the period in which an event returns. */
  const periodOf = (start: EventView, back: EventView): number => {
    if (asked.periodsFrom === 'start')
      return Math.floor((back.eventTs - start.eventTs) / (DAYS[unit] * 86_400_000));
    // So many units of the calendar begin between the two.
    const between = bucketsOf(series, [start, { ...start, eventTs: Math.min(back.eventTs, limitOf(start)) }]);
    return between!.length - 1;
  };
  /** No period that is told goes on so long. */
  const limitOf = ({ eventTs }: EventView) => eventTs + (periods + 1) * 33 * 86_400_000;
  const lives = [...byKey.values()].flatMap((stream) => {
    const first = stream.findIndex((each) => each.isStart);
    if (first === -1) return [];
    const start = stream[first]!.view;
    const back = stream.slice(first + 1).filter((each) => each.isReturn);
    return [{ start, returns: back.map(({ view }) => periodOf(start, view)) }];
  });
  const keys =
    lives.length === 0
      ? []
      : bucketsOf(
          series,
          lives.map(({ start }) => start),
        );
  if (keys === undefined) return undefined;
  const cohorts = keys.map((key) => {
    const own = lives.filter(({ start }) => bucketOf(series, start.eventTs) === key);
    const told = Array.from({ length: periods }, (_, period) => ({
      count: own.filter(({ returns }) => returns.includes(period)).length,
      orLater: own.filter(({ returns }) => returns.some((other) => other >= period)).length,
    }));
    return { key, count: own.length, periods: told };
  });
  return { total: lives.length, missing, cohorts };
}
