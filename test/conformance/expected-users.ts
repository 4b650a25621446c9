import { toEventView } from '../../src/core/filter/predicate.ts';
import { compilePredicate } from '../../src/core/query/predicate.ts';
import type { AskedSequence } from '../../src/core/query/sequence.ts';
import type { AskedUsers, User } from '../../src/core/query/users.ts';
import { toIsoInstant, type StoredEvent } from '../../src/store-kit.ts';
import { compareKeys, valueAt } from './expected-breakdown.ts';
import { attemptsOf } from './expected-sequence.ts';
import { compareNewestFirst } from './expected.ts';

type Scalar = string | number | boolean;

/** All users of a question as plainly as they can be said, by key. */
export function usersOf(events: readonly StoredEvent[], asked: AskedUsers): readonly User[] {
  const { query, streams, range, having, sequence } = asked;
  const isSelected = compilePredicate(query, { codeGeneration: false });
  const tests = streams.bits.map((condition) =>
    compilePredicate({ from: -Infinity, until: Infinity, condition }, { codeGeneration: false }),
  );
  const all = [...events].sort(compareNewestFirst).reverse().map(toEventView).filter(isSelected);
  const isIn = (instant: number) => instant >= range.from && instant < range.until;
  const attempts =
    sequence === undefined
      ? []
      : attemptsOf(events, {
          ...sequence,
          ...{ query, streams, by: undefined, size: 0, percentiles: [] },
        } satisfies AskedSequence).attempts;
  const keys = new Set(all.map((view) => valueAt(view, streams.distinct)));
  const users: User[] = [];
  for (const key of keys) {
    if (!['string', 'number', 'boolean'].includes(typeof key)) continue;
    const own = all.filter((view) => valueAt(view, streams.distinct) === key && isIn(view.eventTs));
    if (own.length === 0) continue;
    const isAsked = having.every(({ bit, atLeast, atMost }) => {
      const test = tests[Math.log2(bit)]!;
      const count = own.filter(test).length;
      return count >= atLeast && count <= atMost;
    });
    if (!isAsked) continue;
    const attempt = attempts.find(([first]) => valueAt(first!.view, streams.distinct) === key) ?? [];
    if (sequence !== undefined && (attempt.length < sequence.least || attempt.length > sequence.most))
      continue;
    users.push({
      key: key as Scalar,
      count: own.length,
      first: toIsoInstant(own[0]!.eventTs),
      last: toIsoInstant(own.at(-1)!.eventTs),
      ...(sequence === undefined ? {} : { at: attempt.map(({ view }) => toIsoInstant(view.eventTs)) }),
    });
  }
  return users.sort((a, b) => compareKeys(a.key, b.key));
}
