import { describe, expect, it } from 'vitest';
import { parseJson, readEvents, readJsonText, type HttpRequest } from '../../../src/index.ts';

function createRequest(text: string, type?: string): HttpRequest & { bytesMax: number } {
  const request = {
    method: 'POST',
    target: '/',
    bytesMax: 0,
    signal: { aborted: false },
    header: (name: string) => (name === 'content-type' ? type : undefined),
    text: (bytesMax: number) => {
      request.bytesMax = bytesMax;
      return Promise.resolve(text);
    },
  };
  return request;
}

async function readJson(request: HttpRequest): Promise<unknown> {
  return parseJson(await readJsonText(request));
}

const json = (text: string) => createRequest(text, 'application/json');
const ndjson = (text: string) => createRequest(text, 'application/x-ndjson');

describe('a JSON body', () => {
  it('is read up to 256 KiB', async () => {
    const request = json('{"a":1}');
    expect(await readJson(request)).toEqual({ a: 1 });
    expect(request.bytesMax).toBe(262_144);
  });

  it.each([undefined, '', 'application/x-ndjson', 'application/jsonp', 'application/json;charset=utf-16'])(
    'of type %s is refused unread',
    async (type) => {
      const request = createRequest('{}', type);
      await expect(readJson(request)).rejects.toMatchObject({ code: 'unsupportedMediaType' });
      expect(request.bytesMax).toBe(0);
    },
  );

  it.each([
    ['', 'it is empty; send {} for no restriction'],
    [' \n', 'it is empty; send {} for no restriction'],
    ['{"a":1,}', 'at position 7'],
    ['{"a":', 'it ends too early or holds a wrong character'],
    ['\ufeff{}', /^(at position 0|it ends)/],
  ])('%j is refused with its place', async (text, where) => {
    const error: unknown = await readJson(json(text)).catch((thrown: unknown) => thrown);
    const pattern = typeof where === 'string' ? where : (expect.stringMatching(where) as string);
    const message = error instanceof Error ? error.message.replace('The body is not valid JSON: ', '') : '';
    expect(message).toEqual(pattern);
  });

  it('is not repeated in the refusal', async () => {
    await expect(readJson(json('{"password":"hunter2" oops'))).rejects.not.toThrow('hunter2');
  });
});

describe('a batch of events', () => {
  it('is a JSON array or NDJSON, up to 10 MiB', async () => {
    const request = json('[1,2]');
    expect(await readEvents(request)).toEqual([1, 2]);
    expect(request.bytesMax).toBe(10_485_760);
    expect(await readEvents(ndjson('{"a":1}\n{"a":2}\n'))).toEqual([{ a: 1 }, { a: 2 }]);
  });

  it('keeps a bad line of NDJSON as its error', async () => {
    const events = await readEvents(ndjson('{"a":1}\nbad\n{"a":2}'));
    expect(events).toHaveLength(3);
    expect(events[1]).toMatchObject({ name: 'ApiError', status: 400 });
  });

  it.each([
    ['{}', 'body: takes an array of events, got an object'],
    ['"x"', 'body: takes an array of events, got the string "x"'],
    ['[]', 'body: takes 1 to 2000 events, got 0'],
    [JSON.stringify(Array(2001).fill(1)), 'body: takes 1 to 2000 events, got 2001'],
  ])('%.20s is refused', async (text, message) => {
    await expect(readEvents(json(text))).rejects.toMatchObject({ status: 400, message });
  });

  it('takes 2,000 events', async () => {
    expect(await readEvents(json(JSON.stringify(Array(2000).fill(1))))).toHaveLength(2000);
  });
});
