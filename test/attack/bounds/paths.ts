import type { LiveAttack } from './arena.ts';
import { fill, toBatches } from './fill.ts';
import { flood, toWords, unexpected } from './flood.ts';
import { mebibytesOf } from './arena.ts';

const keyed = (secret: string) => ({ 'X-API-Key': secret });
const filters = (conditions: readonly object[]) => JSON.stringify({ filterSet: conditions });

/** Row 2: operands and texts of paths that are kept. */
export const freshOperands: LiveAttack = {
  name: 'fresh-operands',
  what: 'counts with a fresh path and an operand of 250 KB each',
  run: async ({ tenant, server }, { quick }) => {
    const { alias, secret } = await tenant('mallory');
    await fill(server().origin, alias, ['{"eventName":"e","userId":"u","properties":{"a":1}}']);
    const operand = 'v'.repeat(250_000);
    const tally = await flood(server().origin, {
      connections: 8,
      total: quick ? 5000 : 6000,
      seconds: quick ? 60 : 300,
      shot: (i) => ({
        path: `/v1/api/query/count/${alias}`,
        headers: keyed(secret),
        body: filters([{ property: `properties.fresh${i}`, comparison: 'EQUALS', value: `${i}${operand}` }]),
      }),
    });
    const size = [...tally.statuses.values()].reduce((sum, times) => sum + times, 0);
    return { size: `${size} counts`, answers: toWords(tally), wrong: unexpected(tally, '200', '429', '503') };
  },
};

/** Row 2, siblings: many large operands on one path, long paths, lists. */
export const freshTexts: LiveAttack = {
  name: 'fresh-texts',
  what: 'counts with fresh operands on one path, fresh long paths, fresh lists',
  run: async ({ tenant, server }, { quick }) => {
    const { alias, secret } = await tenant('mallory');
    const values = (i: number) => `{"eventName":"e${i % 9}","userId":"u${i}","properties":{"a":"${i}"}}`;
    await fill(server().origin, alias, toBatches(20_000, values));
    const long = 'w'.repeat(240_000);
    const leaf = (i: number): object => {
      if (i % 4 === 0) return { property: 'properties.a', comparison: 'CONTAINS', value: `${i}${long}` };
      if (i % 4 === 1) return { property: 'eventName', comparison: 'NOT_EQUALS', value: `${i}${long}` };
      if (i % 4 === 2)
        return { property: `properties.${i}${'k'.repeat(200)}`, comparison: 'IS_NULL', value: null };
      const list = Array.from({ length: 1000 }, (_, k) => `${i}-${k}-${'z'.repeat(200)}`);
      return { property: 'properties.a', comparison: 'IN', value: list };
    };
    const tally = await flood(server().origin, {
      connections: 8,
      total: quick ? 3000 : 8000,
      seconds: quick ? 40 : 300,
      shot: (i) => ({
        path: `/v1/api/query/count/${alias}`,
        headers: keyed(secret),
        body: filters([leaf(i)]),
      }),
    });
    const size = [...tally.statuses.values()].reduce((sum, times) => sum + times, 0);
    return {
      size: `${size} counts over 20,000 events`,
      answers: toWords(tally),
      wrong: unexpected(tally, '200', '400', '429', '503'),
    };
  },
};

/** Row 3: what many paths leave behind for everybody. */
export const manyPaths: LiveAttack = {
  name: 'many-paths',
  what: 'counts with 100 fresh paths each, and every count afterwards',
  run: async ({ tenant, server, medianCountMs }, { quick }) => {
    const { alias, secret } = await tenant('mallory');
    await fill(server().origin, alias, ['{"eventName":"e","userId":"u","properties":{"a":1}}']);
    const before = await medianCountMs();
    const total = quick ? 300 : 1143;
    const tally = await flood(server().origin, {
      connections: 4,
      total,
      shot: (i) => ({
        path: `/v1/api/query/count/${alias}`,
        headers: keyed(secret),
        body: filters(
          Array.from({ length: 100 }, (_, k) => ({
            property: `properties.p${i}.q${k}`,
            comparison: 'IS_NULL',
            value: null,
          })),
        ),
      }),
    });
    const after = await medianCountMs();
    const slower = after > 3 * before + 3 ? ['every count is slower for good'] : [];
    return {
      size: `${total} counts of 100 paths`,
      answers:
        `${toWords(tally)}; ordinary median ${before.toFixed(1)} ms before, ` +
        `${after.toFixed(1)} ms after`,
      wrong: [...slower, ...unexpected(tally, '200', '429', '503')],
    };
  },
};

/** Row 12: what columns leave on the disk. */
export const columnsOnDisk: LiveAttack = {
  name: 'columns-on-disk',
  what: 'queries that name each of many paths, over many events: what they leave in the file',
  prepares: true,
  run: async (arena, { quick }) => {
    const { alias, secret } = await arena.tenant('mallory');
    const [events, paths] = quick ? [131_072, 100] : [262_144, 400];
    const properties = Array.from({ length: paths }, (_, k) => `"p${k}":1`).join(',');
    const event = (i: number) => `{"eventName":"e","userId":"u${i % 999}","properties":{${properties}}}`;
    await fill(arena.server().origin, alias, toBatches(events, event), { seconds: 900 });
    await arena.measure();
    const before = mebibytesOf(arena.db) + mebibytesOf(`${arena.db}-wal`);
    const tally = await flood(arena.server().origin, {
      connections: 2,
      total: paths / 100,
      shot: (i) => ({
        path: `/v1/api/query/count/${alias}`,
        headers: keyed(secret),
        body: filters(
          Array.from({ length: 100 }, (_, k) => ({
            property: `properties.p${i * 100 + k}`,
            comparison: 'NOT_EQUALS',
            value: 2,
          })),
        ),
      }),
    });
    const grown = mebibytesOf(arena.db) + mebibytesOf(`${arena.db}-wal`) - before;
    // A path costs at least a byte an event where it is kept at all.
    const unbounded = grown > (0.9 * events * paths) / 1_048_576 && grown > 64;
    return {
      size: `${paths} paths over ${events} events`,
      answers: `${toWords(tally)}; the file grew by ${grown.toFixed(0)} MiB`,
      wrong: [
        ...(unbounded ? ['what columns keep on disk has no bound'] : []),
        ...unexpected(tally, '200', '503'),
      ],
    };
  },
};
