import { createFirstOf } from '../base/first-of.ts';
import { reserveOrThrow, type Reservation } from '../bounds/memory-budget.ts';
import { toIsoInstant } from '../event/time.ts';
import { compareKeys, toKey } from '../query/grouping.ts';
import type { Stream } from '../query/streams.ts';
import { toUsersCursor, type AskedUsers, type User, type UserPage } from '../query/users.ts';
import { createAttempts } from './attempts.ts';
import { createFold, type StreamsFold } from './fold.ts';

/** About what a user of a page takes, without the key. */
const USER_BYTES = 512;

/** A user of a page, by the key that the store keeps. */
interface FoundUser {
  readonly key: User['key'];
  readonly told: Omit<User, 'key'>;
}

/** Begins a page of users; `room` books what it needs. */
export function createUsersFold(asked: AskedUsers, room: Reservation): StreamsFold<UserPage> {
  const { range, having, sequence, size, after } = asked;
  const findBest = sequence === undefined ? undefined : createAttempts(sequence, room);
  const page = createFirstOf<FoundUser>(size, (a, b) => compareKeys(a.key, b.key));
  reserveOrThrow(room, size * USER_BYTES);

  /** What the events in the range say; undefined where a user is not asked for. */
  function tell({ instants, bits }: Stream): Omit<User, 'key'> | undefined {
    const met = having.map(() => 0);
    let [count, first, last] = [0, NaN, NaN];
    for (let i = 0; i < bits.length; i++) {
      const instant = instants[i]!;
      if (instant < range.from || instant >= range.until) continue;
      count += 1;
      if (count === 1) first = instant;
      last = instant;
      for (const [k, { bit }] of having.entries()) if ((bits[i]! & bit) !== 0) met[k]! += 1;
    }
    const isAsked = having.every(({ atLeast, atMost }, k) => met[k]! >= atLeast && met[k]! <= atMost);
    return count > 0 && isAsked ? { count, first: toIsoInstant(first), last: toIsoInstant(last) } : undefined;
  }

  return createFold({
    async count(stream, pacer) {
      const { key, instants } = stream;
      if (after !== undefined && compareKeys(key, after) <= 0) return;
      const told = tell(stream);
      if (told === undefined) return;
      if (sequence === undefined || findBest === undefined) {
        page.add({ key, told });
        return;
      }
      const { places, reached } = await findBest(stream, pacer);
      if (reached < sequence.least || reached > sequence.most) return;
      const at = Array.from({ length: reached }, (_, k) => toIsoInstant(instants[places[k]!]!));
      page.add({ key, told: { ...told, at } });
    },
    finish() {
      const found = page.sorted();
      const users = found.map(({ key, told }) => ({ key: toKey(asked.streams.distinct, key), ...told }));
      const lastKey = found.at(-1)?.key;
      const isFull = found.length === size && lastKey !== undefined;
      return { users, nextCursor: isFull ? toUsersCursor(asked, lastKey) : undefined };
    },
  });
}
