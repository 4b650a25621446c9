import { describe, expect, it } from 'vitest';
import { DEMO_EVENTS_COUNT, demoEvents } from '../../../../adapters/cli/commands/demo-events.ts';
import { memoryEventStore } from '../../../../adapters/memory/index.ts';
import { createEngine, type ComparisonName } from '../../../../src/index.ts';
import { COMPARISONS } from '../../../../src/internal.ts';
import { testResources } from '../../../support/resources.ts';

const NOW = Date.UTC(2025, 5, 15, 12);
const MONTH_MS = 30 * 86_400_000;
const events = demoEvents(NOW, 1);

describe('the sample events', () => {
  it('are the same for the same time and seed', () => {
    expect(demoEvents(NOW, 1)).toEqual(events);
    expect(demoEvents(NOW, 2)).not.toEqual(events);
    expect(demoEvents(NOW + 1, 1)).not.toEqual(events);
  });

  it('are 5,000 over a month up to now, oldest first, each with its own id', () => {
    const times = events.map(({ eventTs }) => Number(eventTs));
    expect(events.length).toBe(DEMO_EVENTS_COUNT);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(NOW - MONTH_MS);
    expect(times[0]).toBeLessThan(NOW - MONTH_MS + 86_400_000);
    expect(times.at(-1)).toBeGreaterThan(NOW - 86_400_000);
    for (let seed = 1; seed <= 20; seed++) {
      expect(Number(demoEvents(NOW, seed).at(-1)!.eventTs)).toBeLessThanOrEqual(NOW);
    }
    expect(new Set(events.map(({ insertId }) => insertId)).size).toBe(DEMO_EVENTS_COUNT);
  });

  it('are consistent: ordered items were in a cart, and some carts are abandoned', () => {
    const count = (name: string) => events.filter(({ eventName }) => eventName === name).length;
    expect(count('visit_started')).toBeGreaterThan(count('checkout_started'));
    expect(count('checkout_started')).toBeGreaterThan(count('payment_entered'));
    expect(count('payment_entered')).toBeGreaterThan(count('order_placed'));
    expect(count('order_placed')).toBeGreaterThan(50);
    for (const { eventName, userId, eventTs, properties } of events) {
      if (eventName !== 'order_placed') continue;
      const before = events.filter(
        (event) => event.userId === userId && Number(event.eventTs) < Number(eventTs),
      );
      const sku = (properties as { skus: string[] }).skus[0];
      expect(before.some(({ eventName: name }) => name === 'checkout_started')).toBe(true);
      expect(JSON.stringify(before.filter(({ eventName: name }) => name === 'cart_item_added'))).toContain(
        sku,
      );
    }
  });

  it('are all accepted by the engine, and every operator finds some of them but not all', async () => {
    const resources = testResources({ runtime: { now: () => NOW } });
    const tenant = createEngine({
      events: memoryEventStore({ resources: testResources() }),
      resources,
    }).tenant('t');
    const report = await tenant.append(events);
    expect(report).toEqual({ accepted: DEMO_EVENTS_COUNT, duplicates: 0, rejected: [] });
    const filters: Record<ComparisonName, [string, unknown]> = {
      EQUALS: ['properties.plan', 'pro'],
      NOT_EQUALS: ['properties.device.type', 'phone'],
      GREATER_THAN: ['properties.order.total', 50],
      GREATER_THAN_OR_EQUALS: ['properties.cart.items', 2],
      LESS_THAN: ['properties.loadMs', 200],
      LESS_THAN_OR_EQUALS: ['properties.stars', 2],
      CONTAINS: ['properties.product.tags', 'gift'],
      NOT_CONTAINS: ['properties.coupon', '%'],
      STARTS_WITH: ['userId', 'customer-'],
      ENDS_WITH: ['properties.page', 'e'],
      IN: ['properties.country', ['AT', 'CH']],
      NOT_IN: ['properties.referrer.source', ['direct', 'search']],
      IS_NOT_NULL: ['properties.referrer.campaign', null],
      IS_NULL: ['properties.plan', null],
    };
    for (const comparison of Object.keys(COMPARISONS) as ComparisonName[]) {
      const [property, value] = filters[comparison];
      const count = await tenant.count({ filterSet: [{ property, comparison, value } as never] });
      expect(count, comparison).toBeGreaterThan(0);
      expect(count, comparison).toBeLessThan(DEMO_EVENTS_COUNT);
    }
  });
});
