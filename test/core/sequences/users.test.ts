import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../src/core/bounds/memory-budget.ts';
import { parseUsersBody } from '../../../src/core/query/parse-users.ts';
import { createUsersFold } from '../../../src/core/sequences/users.ts';
import { toIsoInstant, type StoredEvent } from '../../../src/store-kit.ts';
import { usersOf } from '../../conformance/expected-users.ts';
import { casesOf } from '../../support/cases.ts';

const BEGIN = Date.UTC(2026, 0, 5, 12);
const MINUTE = 60_000;
const PACER = { now: () => 0, yieldIfDue: () => undefined };
const STEPS = ['A', 'B'];

const names = fc.constantFrom('A', 'B', 'C');
const counts = fc.constantFrom(0, 1, 2, 3);
const moments = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((minute) => toIsoInstant(BEGIN + minute * MINUTE));

/** The events of a user, and a question whose sequence may go on behind the time that it names. */
const examples = fc.record({
  events: fc.array(fc.tuple(names, fc.nat({ max: 15 })), { minLength: 1, maxLength: 12, size: 'max' }),
  from: moments(0, 4),
  until: moments(5, 12),
  within: fc.constantFrom('0s', '2m', '5m', '1h'),
  having: fc.array(
    fc.tuple(names, counts, fc.boolean()).map(([event, count, isMost]) => {
      return { event, ...(isMost ? { atMost: count } : { atLeast: count }) };
    }),
    { maxLength: 2 },
  ),
  reached: fc.constantFrom(1, 2),
});

it('what users did is counted in the time that is asked for, though steps may come behind it', async () => {
  const memory = createMemoryBudget({ bytesMax: 1e9 });
  let [listed, others] = [0, 0];
  await fc.assert(
    fc.asyncProperty(examples, async ({ events: found, from, until, within, having, reached }) => {
      const events: readonly StoredEvent[] = found
        .toSorted(([, a], [, b]) => a - b)
        .map(([eventName, minute], i) => ({
          ...{ eventName, userId: 'u', eventTs: BEGIN + minute * MINUTE },
          ...{ insertId: String(i).padStart(2, '0'), propertiesJson: '{}' },
        }));
      const sequence = { steps: STEPS.map((event) => ({ event })), within, reached };
      const asked = parseUsersBody({ from, until, sequence, ...(having.length === 0 ? {} : { having }) });
      const tested = [...STEPS, ...having.map(({ event }) => event)];
      const own = events.filter(({ eventTs }) => eventTs >= asked.query.from && eventTs < asked.query.until);
      const stream = {
        key: 'u',
        instants: own.map(({ eventTs }) => eventTs),
        bits: own.map(({ eventName }) =>
          tested.reduce((bits, name, i) => (name === eventName ? bits | (1 << i) : bits), 0),
        ),
      };
      const fold = createUsersFold(asked, memory.reservation('tenant'));
      await fold.add({ streams: own.length === 0 ? [] : [stream], missing: 0 }, PACER);
      const { users } = await fold.finish(PACER);
      expect(users).toEqual(usersOf(events, asked));
      if (users.length > 0) listed += 1;
      else others += 1;
    }),
    { numRuns: casesOf(5000) },
  );
  expect(Math.min(listed, others)).toBeGreaterThan(0);
});
