import { describe, expect, it } from 'vitest';
import { REQUEST_COST, requestWindows } from '../../../src/core/access/plan.ts';
import { ERRORS, rateLimited } from '../../../src/core/base/errors.ts';
import {
  addLimitHeaders,
  errorResponse,
  jsonHeaders,
  type Headers,
} from '../../../src/core/http/response.ts';
import { ApiError, unavailable } from '../../../src/index.ts';
import { fullBuckets, takeTokens } from '../../../src/store-kit.ts';

describe('the answer to an error', () => {
  it.each(Object.entries(ERRORS))('%s has the status and the text of the table', (code, { status, text }) => {
    const words: [string, string, string] = ['a', 'b', 'c'];
    const say = text;
    const error = new ApiError(code as 'unsupportedMediaType', words);
    const response = errorResponse(error, jsonHeaders('id'));
    expect(response).toEqual({
      status,
      headers: {
        'Content-Type': 'application/json',
        'Cache-Control': 'no-store',
        'X-Content-Type-Options': 'nosniff',
        'X-Request-Id': 'id',
      },
      body: `${JSON.stringify({ error: say(...words) })}\n`,
    });
  });

  it('has the headers of the error', () => {
    const { headers } = errorResponse(unavailable(new Error('secret'), 7), jsonHeaders('id'));
    expect(headers).toMatchObject({ 'Retry-After': '7', 'X-Request-Id': 'id' });
  });

  it.each([
    new Error('engine text'),
    'engine text',
    undefined,
    { status: 200, code: 'x', message: 'engine text' },
  ])('that is none of ours (%s) tells nothing', (error) => {
    const { status, body } = errorResponse(error, {});
    expect({ status, body }).toEqual({ status: 500, body: '{"error":"Internal server error"}\n' });
  });
});

describe('the headers of limits', () => {
  const now = 1_750_000_000_500;
  const windows = requestWindows({ perMinute: 2, perDay: 20 });
  const headersAfter = (takes: number): Headers => {
    let { buckets, state } = takeTokens(fullBuckets(now), windows, 0, now);
    for (let i = 0; i < takes; i++) ({ buckets, state } = takeTokens(buckets, windows, REQUEST_COST, now));
    const headers: Headers = {};
    addLimitHeaders(headers, state);
    return headers;
  };

  it('are none for a caller without limits', () => {
    const headers: Headers = {};
    addLimitHeaders(headers, null);
    expect(headers).toEqual({});
  });

  it('tell of the bucket with the fewest tokens, and the IETF ones of both', () => {
    expect(headersAfter(1)).toEqual({
      'X-RateLimit-Limit': '2',
      'X-RateLimit-Remaining': '1',
      'X-RateLimit-Reset': '1750000031',
      'RateLimit-Policy': '"minute";q=2;w=60, "day";q=20;w=86400',
      RateLimit: '"minute";r=1;t=30, "day";r=19;t=4320',
    });
  });

  it('never promise a full bucket too soon', () => {
    const at = 1_750_000_000_000;
    const { buckets } = takeTokens(fullBuckets(at), windows, REQUEST_COST, at);
    // 100 ms later the bucket is full in 29.9 s, in the 30th second that begins after it.
    const { state } = takeTokens(buckets, windows, 0, at + 100);
    const headers: Headers = {};
    addLimitHeaders(headers, { ...state, at: at + 200 });
    expect(headers['X-RateLimit-Reset']).toBe('1750000031');
    expect(headers.RateLimit).toMatch(/^"minute";r=1;t=30, /);
  });

  it('ride on the error of a refusal, with how long to wait', () => {
    let { buckets, state } = takeTokens(fullBuckets(now), windows, 0, now);
    for (let i = 0; i < 3; i++) ({ buckets, state } = takeTokens(buckets, windows, REQUEST_COST, now));
    const { headers } = errorResponse(rateLimited(state.retryAfterMs, state), {});
    expect(headers).toMatchObject({ 'X-RateLimit-Remaining': '0', 'Retry-After': '30' });
    expect(errorResponse(rateLimited(1), {}).headers).toMatchObject({ 'Retry-After': '1' });
    expect(errorResponse(rateLimited(29_001), {}).headers).toMatchObject({ 'Retry-After': '30' });
    expect(errorResponse(rateLimited(1), {}).headers).not.toHaveProperty('X-RateLimit-Limit');
  });
});
