import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import type { QuestionReading } from '../../../../src/core/query/answer-plan.ts';
import { parseSequenceBody } from '../../../../src/core/query/parse-sequence.ts';
import { createColumnIndex, type Stream, type StreamsPiece } from '../../../../src/store-kit.ts';
import { emptyLog, nodeScheduler, SEED, type TestLog } from '../fixtures.ts';

const USERS = 300;
const EVENTS = 24_000;
/** A third of the texts have no event of a step; there are ten numbers and two booleans. */
const STREAMS = ((USERS / 5) * 2) / 3 + 10 + 2;
const ROOMY = 2 ** 30;

/** The i-th event: of users, of no user, and of values of the other types at the path. */
function eventAt(i: number) {
  const who = [`"user ${(i * 7919) % USERS}"`, `${i % 50}`, `${i % 2 === 0}`, 'null', '[1]'][i % 5]!;
  return {
    ...{ eventName: ['A', 'B', 'C'][i % 3]!, userId: 'u', eventTs: (i * 37) % 5000, insertId: `id-${i}` },
    propertiesJson: `{"who":${who}}`,
  };
}

function logOf(events: number): TestLog {
  const log = emptyLog();
  for (let from = 0; from < events; from += 1000)
    log.append(Array.from({ length: 1000 }, (_, i) => eventAt(from + i)));
  return log;
}

const ASKED = parseSequenceBody({
  steps: [{ event: 'A' }, { event: 'B' }],
  ...{ distinct: 'properties.who', same: ['eventName'], by: 'eventName' },
});

function ask(open: () => TestLog | undefined, bytesMax: number) {
  const memory = createMemoryBudget({ bytesMax, ownerShare: 1 });
  const index = createColumnIndex({
    ...{ open: () => open()?.view(), memory, scheduler: nodeScheduler(), seed: SEED },
  });
  return { memory, index, pieces: index.streams('shop', ASKED.query, ASKED.streams) };
}

const told = ({ key, instants, bits, same, groups }: Stream) =>
  JSON.stringify([key, Array.from(instants), Array.from(bits), partition(same!), Array.from(groups!)]);

/** Which events have the same values: the numbers themselves mean nothing. */
function partition(same: ArrayLike<number>): number[] {
  const known = new Map<number, number>();
  return Array.from(same, (one) => known.get(one) ?? (known.set(one, known.size), known.size - 1));
}

function summary(pieces: readonly StreamsPiece[]) {
  const streams = pieces.flatMap((piece) => Array.from(piece.streams, told));
  return { streams: streams.sort(), missing: pieces.reduce((sum, { missing }) => sum + missing, 0) };
}

async function all(pieces: AsyncIterable<StreamsPiece>) {
  const found: StreamsPiece[] = [];
  for await (const piece of pieces) found.push(piece);
  return found;
}

/** The largest budget for which these events come in several parts. */
async function tightFor(log: TestLog): Promise<number> {
  for (let bytes = 2 ** 22; bytes > 2 ** 15; bytes *= 0.95)
    if ((await all(ask(() => log, bytes).pieces).catch(() => [])).length > 2) return bytes;
  throw new Error('no budget makes parts');
}

it('streams that memory has no room for at once come in parts, each once and whole', async () => {
  const log = logOf(EVENTS);
  const whole = await all(ask(() => log, ROOMY).pieces);
  const expected = summary(whole);
  expect([whole.length, expected.streams.length]).toEqual([1, STREAMS]);
  const parts = new Set<number>();
  for (let bytes = 2 ** 22; bytes > 2 ** 15; bytes *= 0.85) {
    const { memory, pieces } = ask(() => log, bytes);
    const found = await all(pieces).catch((error: unknown) => error);
    if (found instanceof Error) {
      expect(found).toMatchObject({ code: 'overloaded' });
      continue;
    }
    expect(summary(found as StreamsPiece[])).toEqual(expected);
    expect(memory.bytes).toBeLessThan(bytes);
    parts.add((found as StreamsPiece[]).length);
  }
  expect(parts.size).toBeGreaterThan(3);
  expect(parts).toContain(1);
});

it('an explanation says in about how many parts they come at most', async () => {
  const log = logOf(EVENTS);
  const reading: QuestionReading = {
    ...{ method: 'streams', query: ASKED.query, isCut: false },
    conditions: ASKED.streams.bits.map((condition) => ({ condition, for: 'steps' })),
    paths: [
      { path: ASKED.streams.distinct, for: 'distinct' },
      { path: ASKED.streams.same[0]!, for: 'same' },
    ],
  };
  const planned: number[] = [];
  for (let bytes = 2 ** 23; bytes > 2 ** 15; bytes *= 0.85) {
    const { index, pieces } = ask(() => log, bytes);
    const found = await all(pieces).catch(() => []);
    const plan = await index.plan('shop', reading);
    const streams = plan.by === 'columns' ? plan.streams : undefined;
    if (streams === undefined || found.length === 0) continue;
    // Texts without an event of a step are values of the column as well.
    expect(streams).toMatchObject({ values: USERS / 5 + 10 + 2, events: EVENTS });
    // Four events in ten are in a stream, so that there may be fewer parts.
    const times = Math.log2(streams.parts / found.length);
    expect([times >= -1, times <= 3]).toEqual([true, true]);
    planned.push(streams.parts);
  }
  expect(planned[0]).toBe(1);
  expect(new Set(planned).size).toBeGreaterThan(2);
});

it('what arrives between two parts is in none of them', async () => {
  const log = logOf(EVENTS);
  const expected = summary(await all(ask(() => log, ROOMY).pieces));
  const { pieces } = ask(() => log, await tightFor(log));
  const found: StreamsPiece[] = [];
  for await (const piece of pieces) {
    if (found.length === 0)
      log.append(Array.from({ length: 50 }, (_, i) => ({ ...eventAt(i), insertId: `late-${i}` })));
    found.push(piece);
  }
  expect(summary(found)).toEqual(expected);
});

it.each([
  { what: 'events were erased', next: (log: TestLog) => (log.erase([3]), log) },
  { what: 'all events were erased, and others came', next: () => emptyLog(2) },
  { what: 'the log is gone', next: () => undefined },
])('what is left is refused where $what between two parts', async ({ next }) => {
  let log: TestLog | undefined = logOf(EVENTS);
  const { memory, pieces } = ask(() => log, await tightFor(log));
  const iterator = pieces[Symbol.asyncIterator]();
  expect((await iterator.next()).done).toBe(false);
  log = next(log);
  await expect(iterator.next()).rejects.toMatchObject({ code: 'unavailable' });
  expect(memory.reservation('another').bytes).toBe(0);
});
