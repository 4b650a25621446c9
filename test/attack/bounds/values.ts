import { collidingDoubles, collidingNumbers } from '../live/colliding-numbers.ts';
import type { LiveAttack } from './arena.ts';
import { fill, toBatches } from './fill.ts';
import { flood, toWords, unexpected } from './flood.ts';

const count = (alias: string, secret: string, property: string, value: unknown, comparison = 'EQUALS') => ({
  path: `/v1/api/query/count/${alias}`,
  headers: { 'X-API-Key': secret },
  body: JSON.stringify({ filterSet: [{ property, comparison, value }] }),
});

/** Row 4: steps that were cut by rows meet rows that are large. */
export const largeValues: readonly LiveAttack[] = [4, 32, 62, 130].map((kilobytes) => ({
  name: `large-values-${kilobytes}`,
  what: `many tiny values, then 32,768 of ${kilobytes} KB under the same path, then a count`,
  prepares: true,
  run: async (arena, { quick }) => {
    const { alias, secret } = await arena.tenant('mallory');
    await arena.tenant('builder', '--plan', 'builder');
    const [tiny, large] = [100_000, quick ? 8192 : 32_768];
    const text = 'v'.repeat(kilobytes * 1000);
    const tinyEvent = (i: number) => `{"eventName":"e","userId":"u","properties":{"p":${i % 7}}}`;
    const largeEvent = (i: number) => `{"eventName":"e","userId":"u","properties":{"p":"${i}${text}"}}`;
    const { origin } = arena.server();
    const first = await fill(origin, alias, toBatches(tiny, tinyEvent));
    const second = await fill(origin, alias, toBatches(large, largeEvent), { seconds: 1200 });
    await arena.measure();
    const tally = await flood(origin, {
      connections: 1,
      total: 3,
      shot: (i) =>
        i === 2
          ? count(alias, secret, 'properties.p', 'v'.repeat(2000), 'CONTAINS')
          : count(alias, secret, 'properties.p', i),
    });
    return {
      size: `${first.accepted} tiny, ${second.accepted} of ${kilobytes} KB`,
      answers: `${toWords(tally)}, the slowest after ${(tally.slowestMs / 1000).toFixed(1)} s`,
      wrong: unexpected(tally, '200'),
    };
  },
}));

/** Row 6: numbers chosen against hash tables. */
export const collisions: readonly LiveAttack[] = (
  [
    ['doubles', collidingDoubles],
    ['integers', collidingNumbers],
  ] as const
).map(([kind, toNumbers]) => ({
  name: `colliding-${kind}`,
  what: `${kind} whose hashes collide in V8, a count, a restart, a count`,
  prepares: true,
  run: async (arena, { quick }) => {
    const { alias, secret } = await arena.tenant('mallory');
    // Of integers there are only 65,536 that collide.
    const numbers = [...new Set(toNumbers(quick ? 49_152 : 98_304))];
    const total = numbers.length;
    const event = (i: number) => `{"eventName":"e","userId":"u","properties":{"n":${numbers[i]}}}`;
    const { bytes } = await fill(arena.server().origin, alias, toBatches(total, event));
    await arena.measure();
    // What a count costs is told by the processor, which knows nothing of what else a machine does.
    const ask = async () => {
      const before = arena.cpuSeconds();
      const tally = await flood(arena.server().origin, {
        connections: 1,
        total: 1,
        shot: () => count(alias, secret, 'properties.n', numbers[5]),
      });
      return { ...tally, seconds: arena.cpuSeconds() - before };
    };
    const first = await ask();
    await arena.restart();
    const second = await ask();
    const slow = Math.max(first.seconds, second.seconds) > (quick ? 4 : 5);
    const exact = first.bodies.get('200') === '{"count":1}\n';
    return {
      size: `${total} (${(bytes / 1_048_576).toFixed(1)} MiB of gzip)`,
      answers:
        `counts after ${first.slowestMs.toFixed(0)} and ${second.slowestMs.toFixed(0)} ms, ` +
        `which took ${first.seconds.toFixed(1)} and ${second.seconds.toFixed(1)} s of the processor`,
      wrong: [
        ...(slow ? ['the count is quadratic'] : []),
        ...(exact ? [] : [`the count is ${first.bodies.get('200')}`]),
        ...unexpected(first, '200'),
        ...unexpected(second, '200'),
      ],
    };
  },
}));

/** Row 22: events of one instant. */
export const ties: LiveAttack = {
  name: 'ties',
  what: 'events of one timestamp: the first page, and again after a restart',
  prepares: true,
  run: async (arena, { quick }) => {
    const total = quick ? 100_000 : 200_000;
    const { alias, secret } = await arena.tenant('mallory');
    const scrambled = (i: number) => (Math.imul(i, 0x9e3779b1) >>> 0).toString(16).padStart(8, '0');
    const event = (i: number) =>
      `{"eventName":"e","userId":"u","eventTs":"2025-01-01T00:00:00.000Z","insertId":"${scrambled(i)}"}`;
    await fill(arena.server().origin, alias, toBatches(total, event));
    await arena.measure();
    // What a page costs is told by the processor, which knows nothing of what else a machine does.
    const page = async () => {
      const before = arena.cpuSeconds();
      const tally = await flood(arena.server().origin, {
        connections: 1,
        total: 1,
        shot: () => ({
          path: `/v1/api/query/${alias}`,
          headers: { 'X-API-Key': secret },
          body: '{"pagination":{"size":10,"offset":50000}}',
        }),
      });
      return { ...tally, seconds: arena.cpuSeconds() - before };
    };
    const first = await page();
    await arena.restart();
    const second = await page();
    const slow = Math.max(first.seconds, second.seconds) > (quick ? 2.5 : 3);
    return {
      size: `${total} events`,
      answers:
        `pages after ${first.slowestMs.toFixed(0)} and ${second.slowestMs.toFixed(0)} ms, ` +
        `which took ${first.seconds.toFixed(1)} and ${second.seconds.toFixed(1)} s of the processor`,
      wrong: [
        ...(slow ? ['a page over ties takes long'] : []),
        ...unexpected(first, '200'),
        ...unexpected(second, '200'),
      ],
    };
  },
};
