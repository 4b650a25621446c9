import { fillBody, withFilter } from '../corpus/bodies.ts';
import { post, type Place } from '../target/post.ts';
import { startTarget, type Target } from '../target/target.ts';
import { collidingNumbers } from './colliding-numbers.ts';
import { quantile, toRatio, toRow, type Row, type RunOptions } from './report.ts';

/** A request that is meant to be dear. */
type Dear = readonly [name: string, place: Place, body: string];

const long = (unit: string, length: number) => unit.repeat(Math.floor(length / unit.length));

function dearRequests(): Dear[] {
  const contains = (operand: string) => withFilter('properties.text', 'CONTAINS', JSON.stringify(operand));
  const many = (filter: (i: number) => string, count = 100) =>
    `{"filterSet":[${Array.from({ length: count }, (_, i) => filter(i)).join(',')}]}`;
  const leaf = (comparison: string, value: string) =>
    `{"property":"properties.text","comparison":"${comparison}","value":${value}}`;
  const list = Array.from({ length: 280 }, (_, i) => `"${i}${'x'.repeat(4)}"`).join(',');
  return [
    ['CONTAINS, 10,000 units that nearly repeat', 'count', contains(`bb${long('ab', 10_000)}`)],
    ['CONTAINS, 100,000 units that nearly repeat', 'count', contains(`bb${long('ab', 100_000)}`)],
    [
      'CONTAINS, 250 units that nearly repeat, 100 times',
      'count',
      many((i) => leaf('NOT_CONTAINS', JSON.stringify(`b${i}b${long('ab', 240)}`))),
    ],
    [
      'CONTAINS, 2,000 units that nearly repeat, 100 times',
      'count',
      many((i) => leaf('NOT_CONTAINS', JSON.stringify(`b${i}b${long('ab', 2000)}`))),
    ],
    [
      'GREATER_THAN a long common prefix, 2 times',
      'count',
      many((i) => leaf('LESS_THAN', `"${long('ab', 100_000)}${i}"`), 2),
    ],
    ['100 lists of 280 values', 'count', many((i) => leaf('NOT_IN', `[${list},"${i}"]`), 80)],
    ['a page of everything at the end', 'query', '{"pagination":{"offset":9007199254740991,"size":1000}}'],
    ['a page behind 20,000 others', 'query', '{"pagination":{"offset":20000,"size":1000}}'],
    ['a body of empty filters', 'count', fillBody('{"filterSet":[', '{}', ']}')],
    ['a body of numbers', 'count', fillBody('{"filterSet":[', '0', ']}')],
    ['a body of keys', 'count', `{${Array.from({ length: 20_000 }, (_, i) => `"k${i}":0`).join(',')}}`],
    ['a body of depth', 'count', '['.repeat(250_000)],
    [
      'a batch of refused events',
      'ingest',
      `[${Array<string>(2000)
        .fill(`{"${'k'.repeat(5000)}":1}`)
        .join(',')}]`,
    ],
    [
      'a batch of deep events',
      'ingest',
      `[{"eventName":"d","userId":"u","properties":{"a":${'['.repeat(1_000_000)}`,
    ],
    ['first use of ordinary numbers', 'count', withFilter('properties.spread', 'EQUALS', '1')],
    ['first use of numbers that collide', 'count', withFilter('properties.collide', 'EQUALS', '1')],
  ];
}

/**
 * Stores events that make the dear requests dear: long repetitive texts, and numbers chosen against hash
 * tables.
 */
async function fill(target: Target, eventCount: number): Promise<void> {
  const colliding = collidingNumbers(eventCount);
  const text = long('ab', 2000);
  for (let from = 0; from < eventCount; from += 1000) {
    const events = Array.from({ length: Math.min(1000, eventCount - from) }, (_, i) => ({
      eventName: 'filler',
      userId: 'u',
      properties: {
        text: `${text}${from + i}`,
        spread: Math.imul(from + i, 0x9e3779b1),
        collide: colliding[from + i],
      },
    }));
    const answer = await post(target, 'ingest', JSON.stringify(events));
    if (answer.status !== 200) throw new Error(answer.body);
  }
  const huge = [{ eventName: 'huge', userId: 'u', properties: { text: long('ab', 1_000_000) } }];
  await post(target, 'ingest', JSON.stringify(huge));
}

async function timeOf(target: Target, place: Place, body: string): Promise<{ ms: number; status: number }> {
  const start = performance.now();
  const { status } = await post(target, place, body);
  return { ms: performance.now() - start, status };
}

/**
 * How long the dearest requests that could be thought of take, and how long they keep the server from others.
 */
export async function runCost({ quick }: RunOptions): Promise<Row[]> {
  const target = await startTarget(['--log-level', 'error']);
  const eventCount = quick ? 5_000 : 30_000;
  await fill(target, eventCount);
  const plain = withFilter('userId', 'EQUALS', '"u"');
  await timeOf(target, 'count', plain);
  const normal: number[] = [];
  for (let i = 0; i < 50; i++) normal.push((await timeOf(target, 'count', plain)).ms);
  const reference = quantile(normal, 0.5);
  const rows: Row[] = [];
  for (const [name, place, body] of dearRequests()) {
    let busy = true;
    const gaps = longestGap(target, () => busy);
    const { ms, status } = await timeOf(target, place, body);
    busy = false;
    const waited = toRatio(await gaps, reference);
    const own = toRatio(ms, reference);
    const figures = `${status}, ${own} times an ordinary count; others waited up to ${waited} times it`;
    rows.push(toRow(`cost: ${name}`, figures, status >= 500 ? [`status ${status}`] : []));
  }
  rows.push(
    toRow(
      'cost: reference',
      `an ordinary count over ${eventCount} events took ${reference.toFixed(2)} ms here`,
    ),
  );
  await target.stop();
  return rows;
}

/** The longest that one of others had to wait for an answer meanwhile, in milliseconds. */
async function longestGap({ origin }: Target, goesOn: () => boolean): Promise<number> {
  let longest = 0;
  while (goesOn()) {
    const start = performance.now();
    await (await fetch(`${origin}/healthz`)).text();
    longest = Math.max(longest, performance.now() - start);
  }
  return longest;
}
