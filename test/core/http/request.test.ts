import { describe, expect, it } from 'vitest';
import {
  BATCH_TYPES,
  JSON_BATCH_TYPES,
  parseJson,
  readBatchText,
  readJsonText,
} from '../../../src/core/http/request.ts';
import type { HttpRequest } from '../../../src/transport-kit.ts';

function createRequest(
  text: string,
  type?: string,
): HttpRequest & { bytesMax: number; owner: string | undefined } {
  const request = {
    method: 'POST',
    target: '/',
    bytesMax: 0,
    owner: undefined as string | undefined,
    signal: { aborted: false },
    header: (name: string) => (name === 'content-type' ? type : undefined),
    text: (bytesMax: number, owner?: string) => {
      request.owner = owner;
      request.bytesMax = bytesMax;
      return Promise.resolve(text);
    },
  };
  return request;
}

async function readJson(request: HttpRequest): Promise<unknown> {
  return parseJson(await readJsonText(request, 'tenant'));
}

const json = (text: string) => createRequest(text, 'application/json');

describe('a JSON body', () => {
  it('is read up to 256 KiB', async () => {
    const request = json('{"a":1}');
    expect(await readJson(request)).toEqual({ a: 1 });
    expect([request.bytesMax, request.owner]).toEqual([262_144, 'tenant']);
    expect(await readJson(json('\ufeff{"a":1}'))).toEqual({ a: 1 });
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
    ["{'a':1}", 'at position 1: put keys and texts in double quotes'],
    ['{"a":', 'it ends too early or holds a wrong character'],
  ])('%j is refused with its place', async (text, where) => {
    const error: unknown = await readJson(json(text)).catch((thrown: unknown) => thrown);
    const pattern = typeof where === 'string' ? where : (expect.stringMatching(where) as string);
    const message = error instanceof Error ? error.message.replace('The body is not valid JSON: ', '') : '';
    expect(message).toEqual(pattern);
  });

  it('says where in the body a part of it is wrong', () => {
    expect(() => parseJson('{"a":1,}', 10)).toThrow('at position 17');
    expect(() => parseJson('{"a":', 10)).toThrow('behind position 10');
  });

  it('that nests deeper than anything means is refused', async () => {
    const text = '['.repeat(40_000) + ']'.repeat(40_000);
    await expect(readJson(json(text))).rejects.toThrow('nests too deep');
  });

  it('is not repeated in the refusal', async () => {
    await expect(readJson(json('{"password":"hunter2" oops'))).rejects.not.toThrow('hunter2');
  });
});

describe('the text of a batch', () => {
  it.each([
    ['application/json', 'json'],
    ['text/plain;charset=UTF-8', 'json'],
    ['application/json; charset=utf8', 'json'],
    ['Application/JSON;Charset="UTF8"', 'json'],
    ['application/vnd.api+json', 'json'],
    ['application/jsonl', 'ndjson'],
    ['application/ndjson; charset=utf-8', 'ndjson'],
    ['application/x-ndjson', 'ndjson'],
  ])('of type %s is read as %s, up to its limit, for its owner', async (contentType, type) => {
    const request = createRequest('[1,2]', contentType);
    expect(await readBatchText(request, BATCH_TYPES, 500, 'tenant')).toEqual({ text: '[1,2]', type });
    expect([request.bytesMax, request.owner]).toEqual([500, 'tenant']);
  });

  it.each([undefined, 'text/html', 'text/plain;charset=utf-16'])(
    'of type %s is refused unread',
    async (type) => {
      await expect(
        readBatchText(createRequest('[1]', type), BATCH_TYPES, 500, 'tenant'),
      ).rejects.toMatchObject({
        status: 415,
      });
    },
  );

  it('of a protocol that knows no NDJSON is refused as such', async () => {
    const request = createRequest('1', 'application/x-ndjson');
    await expect(readBatchText(request, JSON_BATCH_TYPES, 500, 'tenant')).rejects.toThrow(
      'Content-Type: takes application/json or text/plain in UTF-8, got "application/x-ndjson"',
    );
  });
});
