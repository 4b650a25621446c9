import { expect, it } from 'vitest';
import { LogGoneError } from '../../../../src/core/columns/log/log.ts';
import { parseSequenceBody } from '../../../../src/core/query/parse-sequence.ts';
import { createColumnIndex } from '../../../../src/store-kit.ts';
import { createMemoryBudget } from '../../../../src/transport-kit.ts';
import { AT_ONCE } from '../../../support/resources.ts';
import { eventsWith, logOf, SEED } from '../fixtures.ts';

/** Events of one instant in many segments, whose ids have to be read. */
const EVENTS = eventsWith(Array.from({ length: 400 }, (_, i) => i)).map((event, i) => ({
  ...event,
  ...{ eventTs: 1000, userId: 'u', insertId: String((i * 7919) % 400).padStart(3, '0') },
}));

/** What streams have booked when they are told, of a log that is gone so many times while they are sought. */
async function bookedBy(times: number) {
  let left = times;
  const log = logOf(EVENTS, (view) => ({
    insertIdAt(row) {
      if (left-- > 0) throw new LogGoneError();
      return view.insertIdAt(row);
    },
  }));
  const memory = createMemoryBudget({ bytesMax: 1e9, ownerShare: 1 });
  const index = createColumnIndex({ open: () => log.view(), memory, scheduler: AT_ONCE, seed: SEED });
  const { query, streams: asked } = parseSequenceBody({ steps: [{}] });
  let booked = 0;
  for await (const { streams } of index.streams('t', query, asked)) {
    expect(Array.from(streams, ({ instants }) => instants.length)).toEqual([EVENTS.length]);
    booked = memory.bytes;
  }
  expect(left).toBeLessThan(0);
  index.forget('t');
  expect(memory.bytes).toBe(0);
  return booked;
}

it('streams that are sought again book what those that are found at once do', async () => {
  const booked = await bookedBy(0);
  expect(booked).toBeGreaterThan(EVENTS.length * 12);
  expect(await bookedBy(1)).toBe(booked);
  expect(await bookedBy(2)).toBe(booked);
});
