import { expect, it } from 'vitest';
import { whole } from '../../../adapters/dashboard/pages/explore/whole.ts';

const LAST_LINE = '{"end":true}\n';

/** What is passed on of a text that comes in pieces of a length. */
async function passed(text: string, length: number): Promise<string> {
  const bytes = new TextEncoder().encode(text);
  const pieces = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += length) controller.enqueue(bytes.slice(at, at + length));
      controller.close();
    },
  });
  return new Response(pieces.pipeThrough(whole(LAST_LINE))).text();
}

it.each([1, 5, 13, 100])(
  'a file in pieces of %i bytes is passed on without its last line',
  async (length) => {
    expect(await passed(`{"a":"ü"}\n{"b":1}\n${LAST_LINE}`, length)).toBe('{"a":"ü"}\n{"b":1}\n');
    expect(await passed(LAST_LINE, length)).toBe('');
  },
);

it.each(['', '{"a":1}\n', '{"a":1}\n{"end":true}', 'x'])('one that ends behind %j fails', async (text) => {
  await expect(passed(text, 4)).rejects.toThrow('The answer broke off');
});
