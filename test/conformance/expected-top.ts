import { toEventView, valueBelow } from '../../src/core/filter/predicate.ts';
import type { Ranking } from '../../src/core/query/ranking.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
import { compareNewestFirst } from './expected.ts';

/** The events with the first numbers at a path by the definition: all of them sorted, and then cut. */
export function topOf(events: readonly StoredEvent[], { of, order, size }: Ranking): readonly StoredEvent[] {
  const ranked = events.flatMap((event) => {
    const number = valueBelow(toEventView(event).properties, of.segments);
    return typeof number === 'number' ? [{ event, number }] : [];
  });
  return ranked
    .sort((a, b) => {
      const [first, second] = order === 'largest' ? [b, a] : [a, b];
      if (first.number !== second.number) return first.number < second.number ? -1 : 1;
      return compareNewestFirst(a.event, b.event);
    })
    .slice(0, size)
    .map(({ event }) => event);
}
