import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BATCH_EVENTS_MAX, findBatch } from '../../../src/core/http/batch.ts';
import { isApiError } from '../../../src/index.ts';
import { EVENT_BYTES_MAX } from '../../../src/internal.ts';
import type { Pacer } from '../../../src/store-kit.ts';
import { exactJson } from '../../../src/internal.ts';
import { jsonValues } from '../../conformance/arbitraries/events.ts';

const AT_ONCE: Pacer = { now: () => 0, yieldIfDue: () => Promise.resolve() };

async function read(text: string, type: 'json' | 'ndjson' = 'json'): Promise<unknown[]> {
  const batch = await findBatch(text, type, AT_ONCE);
  const events = [...batch.events()];
  expect(events).toHaveLength(batch.length);
  return events;
}

const space = fc.stringMatching(/^[ \t\n\r]{0,3}$/);

describe('a JSON array', () => {
  it('is read as JSON.parse reads it, however it is spaced', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(jsonValues, { minLength: 1 }),
        space,
        fc.boolean(),
        async (values, gap, pretty) => {
          const text = exactJson(
            pretty
              ? JSON.stringify(values, undefined, 2)
              : `${gap}[${values.map((value) => gap + JSON.stringify(value) + gap).join(',')}]${gap}`,
          );
          expect(await read(text)).toEqual(JSON.parse(text));
        },
      ),
    ));

  it('is refused where JSON.parse refuses it, and only there', () => {
    const piece = fc.constantFrom('[', ']', '{', '}', ',', '"', '\\', '1', ' ', '{}', '"a"', ':', 'null');
    return fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
        const text = `[${pieces.join('')}`;
        let expected: unknown;
        try {
          expected = JSON.parse(text);
        } catch {
          await expect(read(text)).rejects.toMatchObject({ status: 400 });
          return;
        }
        if ((expected as unknown[]).length > 0) expect(await read(text)).toEqual(expected);
        else
          await expect(read(text)).rejects.toMatchObject({ message: 'body: takes 1 to 2000 events, got 0' });
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['', 'The body is not valid JSON: it is empty; send an array of events'],
    ['{}', 'body: takes an array of events, got an object'],
    ['"x"', 'body: takes an array of events, got the string "x"'],
    [`"${'x'.repeat(70_000)}"`, 'body: takes an array of events, got something else'],
    ['{"a":', /^The body is not valid JSON: /],
    ['[]', 'body: takes 1 to 2000 events, got 0'],
    ['[1,]', 'The body is not valid JSON: at position 3'],
    ['[,1]', 'The body is not valid JSON: at position 1'],
    ['[1] 2', 'The body is not valid JSON: at position 2'],
    ['[1}', 'The body is not valid JSON: at position 2'],
    ['[1', 'The body is not valid JSON: it ends too early'],
    ['["x]', 'The body is not valid JSON: it ends too early'],
    [
      '[1, {"a":x}]',
      'The body is not valid JSON: behind position 4 it ends too early or holds a wrong character',
    ],
    [`[${'['.repeat(200)}`, 'body: nests too deep'],
    [`[${'1,'.repeat(2000)}1]`, 'body: takes 1 to 2000 events, got more'],
  ])('that is none is refused (%#)', async (text, message) => {
    const pattern = typeof message === 'string' ? message : (expect.stringMatching(message) as string);
    await expect(read(text)).rejects.toMatchObject({ status: 400, message: pattern });
  });

  it('of millions of values is refused after the first 2,000', async () => {
    let pauses = 0;
    const pacer: Pacer = { now: () => 0, yieldIfDue: () => Promise.resolve(void (pauses += 1)) };
    const text = `[${'{},'.repeat(3_000_000)}{}]`;
    await expect(findBatch(text, 'json', pacer)).rejects.toThrow('got more');
    expect(pauses).toBeLessThanOrEqual(BATCH_EVENTS_MAX + 1);
  });

  it('may hold 2,000 events, whose bytes are counted as UTF-8', async () => {
    const batch = await findBatch(`[${'"é" , '.repeat(1999)}"a"]`, 'json', AT_ONCE);
    expect([batch.length, batch.bytes]).toEqual([2000, 1999 * 4 + 3]);
  });

  it('is looked through in steps, of which others have turns in between', async () => {
    let pauses = 0;
    const pacer: Pacer = { now: () => 0, yieldIfDue: () => Promise.resolve(void (pauses += 1)) };
    await findBatch(`[[${'1,'.repeat(2_000_000)}1]]`, 'json', pacer);
    expect(pauses).toBeGreaterThan(10);
    pauses = 0;
    await findBatch(`${'\n'.repeat(4_000_000)}1`, 'ndjson', pacer);
    expect(pauses).toBeGreaterThan(10);
  });
});

describe('an event', () => {
  it('whose text is longer than any event is refused by itself, unparsed', async () => {
    const [bad, good] = await read(`[ {"a":"${'x'.repeat(3 * 1_048_576)}"},{}]`);
    expect(bad).toMatchObject({
      status: 400,
      message: expect.stringMatching(/^event: takes at most 1048576/) as string,
    });
    expect(good).toEqual({});
  });

  it('may be as long as any event, in any spelling', async () => {
    const length = EVENT_BYTES_MAX * 3;
    const spelt = (more: number) => `{${' '.repeat(length - 2 + more)}}`;
    const read = async (text: string) => [...(await findBatch(`[${text}]`, 'json', AT_ONCE)).events()];
    expect(await read(spelt(0))).toEqual([{}]);
    expect((await read(spelt(1))).map(isApiError)).toEqual([true]);
  });

  it('is parsed only when it is its turn', async () => {
    const batch = await findBatch('[{}, oops]', 'json', AT_ONCE);
    const events = batch.events()[Symbol.iterator]();
    expect(events.next().value).toEqual({});
    expect(() => events.next()).toThrow('The body is not valid JSON: ');
  });
});

describe('NDJSON', () => {
  it.each([
    ['{"a":1}', [{ a: 1 }]],
    ['{"a":1}\n', [{ a: 1 }]],
    ['{"a":1}\r\n\r\n 2 \n', [{ a: 1 }, 2]],
    ['1\n\n\n2', [1, 2]],
  ])('%j is read', async (text, values) => {
    expect(await read(text, 'ndjson')).toEqual(values);
  });

  it('keeps a bad line as its error', async () => {
    const events = await read('{"a":1}\nbad\n{"a":2}', 'ndjson');
    expect(events.map(isApiError)).toEqual([false, true, false]);
  });

  it('does not count blank lines, and stops at too many others, good or bad', async () => {
    expect(await read(`${'\n'.repeat(9999)}1\n2\n`, 'ndjson')).toEqual([1, 2]);
    for (const line of ['1\n', 'x\n']) {
      await expect(read(line.repeat(2001), 'ndjson')).rejects.toThrow(
        'body: takes 1 to 2000 events, got more',
      );
    }
    await expect(read('\n \n', 'ndjson')).rejects.toThrow('body: takes 1 to 2000 events, got 0');
  });
});
