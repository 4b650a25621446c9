import { expect, it, vi } from 'vitest';
import { bucketsOf, readClock } from '../../../src/core/query/grouping.ts';
import { createEngine } from '../../../src/index.ts';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { createZones } from '../../../src/transport-kit.ts';
import { testResources } from '../../support/resources.ts';

const CLOSED = { from: Date.UTC(2024, 0), until: Date.UTC(2025, 0) };
const OPEN = { from: -Infinity, until: Infinity };

/** Its `format` is a getter, of which the types say that it is a method. */
const FORMATS = Intl.DateTimeFormat.prototype as unknown as { readonly format: unknown };

it.each([CLOSED, OPEN])('the clock of a series is read in turns, once: %j', async (span) => {
  const zone = createZones().of('America/New_York')!;
  const yieldIfDue = vi.fn(() => undefined);
  const looks = vi.spyOn(FORMATS, 'format', 'get');
  try {
    await readClock({ unit: 'day', zone, ...span }, { now: () => 0, yieldIfDue });
    const read = looks.mock.calls.length;
    expect(read).toBeGreaterThan(100);
    expect(yieldIfDue.mock.calls.length).toBeGreaterThan(100);
    const events = { first: CLOSED.from, last: CLOSED.until - 1 };
    expect(bucketsOf({ unit: 'day', zone, ...span }, events).length).toBeGreaterThan(366);
    // The days at both ends look at their own ends, which a bounded series does not reach.
    expect(looks.mock.calls.length - read).toBeLessThan(4);
  } finally {
    looks.mockRestore();
  }
});

it('the engine reads the clock of a zone in turns of the tenant, and that of UTC not at all', async () => {
  const own = testResources();
  const owners: string[] = [];
  const resources = testResources({
    scheduler: {
      run: (owner, signal, job, priority) => {
        owners.push(owner);
        return own.scheduler.run(owner, signal, job, priority);
      },
    },
  });
  const events = memoryEventStore({ resources: own });
  const shop = createEngine({ events, resources }).tenant('shop');
  expect(await shop.breakdown({ by: 'day' })).toMatchObject({ total: 0 });
  expect(owners).toEqual([]);
  expect(await shop.breakdown({ by: 'day', timeZone: 'Europe/Berlin' })).toMatchObject({ total: 0 });
  expect(owners).toEqual(['shop']);
});
