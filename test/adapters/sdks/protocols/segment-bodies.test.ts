import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SEGMENT_PATHS } from '../../../../adapters/sdks/events/segment.ts';
import type { Call } from '../../../../src/core/http/operation.ts';
import { segment } from '../../../../adapters/sdks/index.ts';
import { isApiError, type FindingTools, type WireFormat } from '../../../../src/index.ts';
import { jsonValues } from '../../../conformance/arbitraries/events.ts';
import { edited } from '../../../fuzz/texts.ts';

const MESSAGE = { type: 'track', event: 'Paid', userId: 'ada' };

const TOOLS: FindingTools = {
  pacer: { now: () => 0, yieldIfDue: () => Promise.resolve() },
  runtime: {
    now: () => Date.parse('2024-05-18T10:00:01Z'),
    sha256: (text) => createHash('sha256').update(text).digest('hex'),
  },
};
const CALLS = segment().routes.find(({ name }) => name === 'segment')!.takes as WireFormat;

/** Finds the events in a body at a path. */
const find = (text: string, path: string) =>
  CALLS.find({ text, type: 'json' }, { parameter: path } as Call, TOOLS);

async function read(body: unknown, path = 'batch') {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const batch = await find(text, path);
  const events = [];
  for (const event of batch.events()) events.push(await event);
  expect(events).toHaveLength(batch.length);
  return events;
}

describe('the body of a batch', () => {
  it.each(['batch', 'b', 'import'])('at the path %s holds messages of any type', async (path) => {
    const events = await read({ writeKey: 'k', batch: [MESSAGE, { ...MESSAGE, type: 'page' }] }, path);
    expect(events).toMatchObject([{ eventName: 'Paid' }, { eventName: 'page_viewed' }]);
  });

  it('may hold its array anywhere, however it is spaced', async () => {
    const text = `\n{ "x" : {"batch":[1,"]"]} ,\t"batch" :\n [ ${JSON.stringify(MESSAGE)} , 1 ] , "y":"}" } `;
    const [good, bad] = await read(text);
    expect(good).toMatchObject({ eventName: 'Paid' });
    expect(bad).toMatchObject({ message: 'event: takes an object, got the number 1' });
  });

  it('says for all messages what they share', async () => {
    const context = { ip: '::1' };
    const [event] = await read({ batch: [MESSAGE], context, sentAt: 's', integrations: { All: true } });
    expect(event).toMatchObject({
      properties: { context, segment: { sentAt: 's', integrations: { All: true } } },
    });
  });

  it('counts what is shared for each message, and is refused where that is too much', async () => {
    const context = { text: 'é'.repeat(1000) };
    const one = await find(JSON.stringify({ context, batch: [MESSAGE] }), 'batch');
    const two = await find(JSON.stringify({ context, batch: [MESSAGE, MESSAGE] }), 'batch');
    const bytes = Buffer.byteLength(JSON.stringify(MESSAGE)) + Buffer.byteLength(JSON.stringify({ context }));
    expect([one.bytes, two.bytes]).toEqual([bytes, 2 * bytes]);
    const large = { context: { text: 'x'.repeat(100_000) }, batch: Array(200).fill(MESSAGE) };
    await expect(read(large)).rejects.toMatchObject({ status: 413 });
  });

  it('may hold as many messages as the SDKs send', async () => {
    expect(await read({ batch: Array(2500).fill(MESSAGE) })).toHaveLength(2500);
    await expect(read({ batch: Array(2501).fill(MESSAGE) })).rejects.toThrow(
      'body: takes 1 to 2500 events, got more',
    );
  });

  it.each([
    ['', 'The body is not valid JSON: it is empty; send an object with the array batch'],
    ['[]', 'body: takes an object with the array batch, got an empty array'],
    ['{}', 'batch: takes an array of events, got nothing'],
    ['{"b\\u0061tch":[1]}', 'batch: takes an array of events, got nothing'],
    ['{"batch":null}', 'body: takes an array of events, got null'],
    ['{"batch":}', 'The body is not valid JSON: it is empty; send an array of events'],
    ['{"batch":[]}', 'body: takes 1 to 2500 events, got 0'],
    ['{"batch":[1],"batch":[2]}', 'batch: stands in the body more than once'],
    ['{"batch":[1],"b\\u0061tch":[2]}', 'batch: stands in the body more than once'],
    ['{"batch":[1] 2}', /^The body is not valid JSON: /],
    ['{"batch":[1],"x":oops}', 'The body is not valid JSON: beside the array batch'],
    ['{"batch":[1]', 'The body is not valid JSON: it ends too early'],
    ['{"batch":[{"a":x}]}', /^The body is not valid JSON: (at|behind) position (10|15)/],
    [`{"batch":[1],"x":${'['.repeat(200)}`, 'body: nests too deep'],
    [`{"batch":[1]${',"x":1'.repeat(20_000)}}`, 'body: holds too much beside the array batch'],
  ])('%# that cannot be read is refused', async (text, message) => {
    const pattern = typeof message === 'string' ? message : (expect.stringMatching(message) as string);
    await expect(read(text)).rejects.toMatchObject({ status: 400, message: pattern });
  });
});

describe('the body of a call', () => {
  const calls = Object.entries(SEGMENT_PATHS).filter(([, call]) => call !== 'batch');

  it.each(calls)('at the path %s is one message of the type %s', async (path, call) => {
    const [event] = await read({ event: 'Paid', userId: 'ada' }, path);
    expect(event).toMatchObject({ userId: 'ada', properties: { segment: { type: call } } });
  });

  it.each([
    ['', /^The body is not valid JSON: it is empty/],
    ['{"event":', /^The body is not valid JSON: /],
  ])('%j that cannot be read is refused', async (text, message) => {
    await expect(read(text, 't')).rejects.toThrow(message);
  });
});

it('any body is refused, or each of its messages is an event or refused', async () => {
  const messages = fc.array(fc.oneof(fc.constant(MESSAGE), jsonValues), { minLength: 1, maxLength: 4 });
  const bodies = fc.record({ batch: messages, context: jsonValues, x: jsonValues }, { requiredKeys: [] });
  const texts = bodies.map((body) => JSON.stringify(body));
  await fc.assert(
    fc.asyncProperty(fc.oneof(texts, edited(texts)), fc.constantFrom('batch', 't'), async (text, path) => {
      try {
        for (const event of await read(text, path)) {
          if (!isApiError(event)) expect(Object.keys(event.properties!).at(-1)).toMatch(/^segment_*$/);
        }
      } catch (error) {
        if (!isApiError(error)) throw error;
        expect(error.status).toBe(400);
      }
    }),
    { numRuns: 2000 },
  );
});
