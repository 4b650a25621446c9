import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chunks, heads, methods, pipelines, smuggling, type HttpCase } from './corpus/http.ts';
import { pathCases } from './corpus/paths.ts';
import { checkControl, faultsIn, statusesOf, toRequest } from './target/checks.ts';
import { post } from './target/post.ts';
import { converse } from '../support/raw-client.ts';
import { startTarget, type Target } from './target/target.ts';

let target: Target;
beforeAll(async () => {
  target = await startTarget();
});
afterAll(() => target.stop());

/** How many connections are open at once: the server is meant to answer while others misbehave. */
const LANES = 8;

/** Runs cases and says what came differently, each as one line. */
async function wrongIn(cases: readonly HttpCase[]): Promise<string[]> {
  const wrong: string[] = [];
  const queue = [...cases];
  const lane = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { name, bytes, statuses, head = false, stops = false, or = statuses } = next;
      const conversation = await converse(target.port, bytes, { answers: stops ? 0 : statuses.length, head });
      const got = statusesOf(conversation);
      if (got.join() !== statuses.join() && got.join() !== or.join())
        wrong.push(`${name}: got [${got.join()}], not [${statuses.join()}]`);
      wrong.push(...faultsIn(conversation, target).map((fault) => `${name}: ${fault}`));
      await checkControl(target).catch((error: unknown) => wrong.push(`${name}: ${String(error)}`));
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return wrong;
}

describe('a request behind one whose end is in doubt', () => {
  const events = '[{"eventName":"smuggled","userId":"u"}]';
  const hidden = toRequest(
    'POST',
    '/v1/events/mallory/multi',
    ['Content-Type: application/json', `Content-Length: ${events.length}`],
    events,
  );

  it.each(['gzip, chunked', 'identity, chunked', 'chunked, chunked', 'xchunked', 'chunked'])(
    'stores nothing: %s',
    async (coding) => {
      const length = coding === 'chunked' ? ['Content-Length: 5'] : [];
      const headers = [...length, `Transfer-Encoding: ${coding}`, `X-API-Key: ${target.key}`];
      const own = ['Content-Type: application/json', ...headers];
      const outer = toRequest('POST', '/v1/api/query/count/mallory', own, '2\r\n{}\r\n0\r\n\r\n');
      const conversation = await converse(target.port, [outer + hidden, hidden]);
      expect([statusesOf(conversation), faultsIn(conversation, target)]).toEqual([[400], []]);
      const { body } = await post(target, 'count', '{"event":"smuggled"}');
      expect(body).toBe('{"count":0}\n');
    },
  );
});

describe('bytes on a socket', () => {
  it.each([
    ['requests whose end is in doubt get one 400 and no second answer', smuggling],
    ['bodies in wrong chunks', chunks],
    ['heads that are wrong, huge or odd', heads],
    ['methods', methods],
    ['several requests on one connection', pipelines],
    ['paths', pathCases],
  ])('%s', async (_name, build) => {
    expect(await wrongIn(build(target))).toEqual([]);
    expect(target.isRunning()).toBe(true);
  });
});
