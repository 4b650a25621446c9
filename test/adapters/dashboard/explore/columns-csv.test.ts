import { parse } from 'csv-parse/sync';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { toColumns } from '../../../../adapters/dashboard/pages/explore/columns-csv.ts';

const PATHS = ['eventName', 'properties.text', 'properties.none'];

/** The CSV of an answer whose bytes come in pieces. */
async function csvOf(text: string, sizes: readonly number[]): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let at = 0, i = 0; at < bytes.length; i += 1) {
        const end = at + sizes[i % sizes.length]!;
        controller.enqueue(bytes.slice(at, end));
        at = end;
      }
      controller.close();
    },
  });
  return new Response(pieces.pipeThrough(toColumns(PATHS))).text();
}

it('a file of chosen columns holds each value whole, however its answer is cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: 'grapheme', maxLength: 6 }), { maxLength: 5 }),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 4 }),
      async (texts, sizes) => {
        // A letter before each: what a spreadsheet would calculate gets an apostrophe.
        const cells = texts.map((text) => `a${text}`);
        const lines = cells.map((text) => `${JSON.stringify({ eventName: 'ü', properties: { text } })}\n`);
        const csv = await csvOf(lines.join(''), sizes);
        expect(parse(csv)).toEqual([PATHS, ...cells.map((text) => ['ü', text, ''])]);
      },
    ),
  );
});

it('a file of chosen columns fails where its answer ends within a line', async () => {
  await expect(csvOf('{"eventName":"a","properties":{}}\n{"eventName":"b"', [9])).rejects.toThrow(
    SyntaxError,
  );
});

it('a file for Excel has its mark, separator and times; a text like a time is a text', async () => {
  const time = '2026-05-18T10:00:00.500Z';
  const event = { eventName: 'é;', eventTs: time, properties: { time } };
  const answer = new Response(`${JSON.stringify(event)}\n`).body!;
  const columns = toColumns(['eventTs', 'eventName', 'properties.time'], ';');
  const bytes = new Uint8Array(await new Response(answer.pipeThrough(columns)).arrayBuffer());
  expect([...bytes.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(new TextDecoder().decode(bytes)).toBe(
    `eventTs;eventName;properties.time\r\n2026-05-18 10:00:00.500;"é;";${time}\r\n`,
  );
});
