import { answersOf } from '../../src/core/answers.ts';
import { compareCodePoints } from '../../src/core/event/text.ts';
import { isAskable, pathText } from '../../src/core/filter/path.ts';
import { toEventView } from '../../src/core/filter/predicate.ts';
import type { EventStore, JsonObject, JsonValue, StoredEvent } from '../../src/index.ts';
import { batchesOf } from './arbitraries/events.ts';
import { firstWrites } from './expected.ts';
import { newTenantId, type Suite } from './runner.ts';

type Types = Record<string, number>;

/** How many of some events hold which type at each path, by the definition. */
function typesOf(events: readonly StoredEvent[]): Map<string, { types: Types; values: Set<JsonValue> }> {
  const found = new Map<string, { types: Types; values: Set<JsonValue> }>();
  const visit = (properties: JsonObject, above: readonly string[]): void => {
    for (const [key, value] of Object.entries(properties)) {
      const path = { root: 'properties', segments: [...above, key] } as const;
      if (!isAskable(path)) continue;
      const at = found.get(pathText(path)) ?? { types: {}, values: new Set() };
      found.set(pathText(path), at);
      const type = value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
      at.types[type] = (at.types[type] ?? 0) + 1;
      if (typeof value !== 'object' && String(value).length <= 256) at.values.add(value);
      if (type === 'object') visit(value as JsonObject, path.segments);
    }
  };
  for (const event of events) visit(toEventView(event).properties, []);
  return found;
}

/** The tests of which paths events have. */
export function testProperties({ test, check, expect }: Suite<EventStore>): void {
  test('every path is told with its types and examples, of one event name and of all', ({ store }) =>
    check(
      batchesOf({ batches: 3, size: 15 }),
      async (batches) => {
        const tenantId = newTenantId();
        const { properties } = answersOf(store, { seed: [1, 2] });
        for (const [i, batch] of batches.entries()) {
          await store.append(tenantId, batch);
          const stored = firstWrites(batches.slice(0, i + 1));
          for (const event of [undefined, batch[0]!.eventName, 'no such event']) {
            const expected = typesOf(
              stored.filter(({ eventName }) => event === undefined || eventName === event),
            );
            const answer = await properties(tenantId, event);
            expect(answer.more).toEqual(false);
            const told = answer.properties.map(({ path, types }) => [path, Object.entries(types).sort()]);
            const right = [...expected].sort(([a], [b]) => compareCodePoints(a, b));
            expect(told).toEqual(right.map(([path, { types }]) => [path, Object.entries(types).sort()]));
            for (const { path, examples } of answer.properties) {
              const values = expected.get(path)!.values;
              expect(examples.length).toEqual(Math.min(3, values.size));
              expect(examples.filter((example) => !values.has(example))).toEqual([]);
              expect(new Set(examples).size).toEqual(examples.length);
            }
          }
        }
      },
      0.5,
    ));
}
