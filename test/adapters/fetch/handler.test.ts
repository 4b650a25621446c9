import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { createFetchHandler, webResources } from '../../../adapters/fetch/index.ts';
import type { HttpHandler } from '../../../src/index.ts';
import { createMemoryBudget, type HttpRequest } from '../../../src/transport-kit.ts';
import { createPlainApi } from '../../support/plain-api.ts';
import { createTestLog } from '../../support/test-server.ts';
import { served, testResources } from '../../support/resources.ts';

const ORIGIN = 'https://api.example';

/** Answers with the text of the body. */
const echo: HttpHandler = async (request) => {
  const body = await request.text(1_000_000, 'tenant');
  return { status: 200, headers: {}, body };
};

/** A POST whose body is a stream of these parts, and the state of the stream. */
function streamOf(parts: Iterable<Uint8Array<ArrayBuffer>>, init: RequestInit = {}) {
  const state = { asked: 0, cancelled: false };
  const source = parts[Symbol.iterator]();
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull: (controller) => {
        state.asked += 1;
        const next = source.next();
        if (next.done === true) controller.close();
        else controller.enqueue(next.value);
      },
      cancel: () => void (state.cancelled = true),
    },
    { highWaterMark: 0 },
  );
  return { state, request: new Request(`${ORIGIN}/x`, { method: 'POST', body, duplex: 'half', ...init }) };
}

const post = (body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  new Request(`${ORIGIN}/x`, { method: 'POST', body, headers });

/** A text that hardly compresses. */
function noise(length: number): string {
  let state = 1;
  const codes = Array.from({ length }, () => 33 + ((state = (state * 48_271) % 2_147_483_647) % 90));
  return codes.map((code) => String.fromCharCode(code)).join('');
}

function* endless(): Generator<Uint8Array<ArrayBuffer>> {
  for (;;) yield new Uint8Array(65_536).fill(32);
}

describe('the body of a Request', () => {
  it('is read up to its limit, and its source is then cancelled', async () => {
    const { state, request } = streamOf(endless());
    const answer = await createFetchHandler({ api: served(limitedTo(262_144)) })(request);
    expect(answer.status).toBe(413);
    expect(await answer.json()).toEqual({ error: 'The body is too large: at most 262144 bytes' });
    expect(state).toEqual({ asked: 5, cancelled: true });
  });

  it('is refused by its length before any of it is read', async () => {
    const { state, request } = streamOf(endless(), { headers: { 'Content-Length': '262145' } });
    expect((await createFetchHandler({ api: served(limitedTo(262_144)) })(request)).status).toBe(413);
    expect(state).toEqual({ asked: 0, cancelled: false });
  });

  it('may split a character between two parts', async () => {
    const bytes = new TextEncoder().encode('aéb');
    const { request } = streamOf([bytes.slice(0, 2), bytes.slice(2)]);
    expect(await (await createFetchHandler({ api: served(echo) })(request)).text()).toBe('aéb');
  });

  it('that breaks off is rejected as incomplete', async () => {
    const body = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
    const request = new Request(`${ORIGIN}/x`, { method: 'POST', body, duplex: 'half' });
    const answer = await createFetchHandler({ api: served(echo) })(request);
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('the connection ended before it was complete');
  });

  it('that begins as gzip is unpacked without a header, in whatever parts it comes', async () => {
    const packed = gzipSync('aéb');
    const { request } = streamOf([packed.subarray(0, 1), packed.subarray(1)]);
    expect(await (await createFetchHandler({ api: served(echo) })(request)).text()).toBe('aéb');
  });

  it('unpacks up to the configured ratio', async () => {
    const packed = gzipSync(Buffer.alloc(900_000));
    const tight = createFetchHandler({ api: served(echo), unpackRatioMax: 2 });
    expect(
      (await createFetchHandler({ api: served(echo), unpackRatioMax: 2_000 })(gzipped(packed))).status,
    ).toBe(200);
    const refused = await tight(gzipped(packed));
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('its gzip unpacks to more than 2 times its size');
  });

  it('that was read before is a fault of the program, not of the client', async () => {
    const { handler, log, createTenant } = createPlainApi();
    const secret = await createTenant('shop');
    const headers = { 'X-API-Key': secret, 'Content-Type': 'application/json' };
    const url = `${ORIGIN}/v1/api/query/count/shop`;
    const request = new Request(url, { method: 'POST', body: '{}', headers });
    await request.text();
    expect((await createFetchHandler({ api: served(handler) })(request)).status).toBe(500);
    const error = log.entries.find(({ level }) => level === 'error');
    expect(String(error?.fields.err)).toContain('mount event-query before body parsers');
  });

  function limitedTo(bytesMax: number): HttpHandler {
    return async (request) => ({ status: 200, headers: {}, body: await request.text(bytesMax, 'tenant') });
  }

  function gzipped(body: Buffer<ArrayBuffer>): Request {
    return post(body, { 'Content-Encoding': 'gzip' });
  }
});

describe('memory', () => {
  it('is reserved for the tenant while the handler works, and released', async () => {
    const memory = createMemoryBudget({ bytesMax: 4_000_000 });
    const seen: number[] = [];
    const handler: HttpHandler = async (request) => {
      const body = await request.text(1_000_000, 'tenant');
      seen.push(memory.bytes);
      return { status: 200, headers: {}, body: body.slice(0, 1) };
    };
    const handle = createFetchHandler({ api: served(handler, { memory }) });
    await handle(post('a'.repeat(16_384)));
    await handle(post('a'.repeat(500_000)));
    await handle(post(gzipSync(noise(200_000)), { 'Content-Encoding': 'gzip' }));
    expect(seen).toEqual([16_384, 500_000, 200_000].map((bytes) => expect.closeTo(bytes, -5) as number));
    expect(memory.bytes).toBe(0);
  });

  it('that cannot be reserved is a 503, and nothing stays reserved', async () => {
    const memory = createMemoryBudget({ bytesMax: 100_000 });
    const handle = createFetchHandler({ api: served(echo, { memory }) });
    for (const request of [
      post('a'.repeat(500_000)),
      post(gzipSync('a'.repeat(250_000)), { 'Content-Encoding': 'gzip' }),
    ]) {
      const answer = await handle(request);
      expect(answer.status).toBe(503);
      expect(answer.headers.get('Retry-After')).not.toBeNull();
      expect(memory.bytes).toBe(0);
    }
  });
});

describe('an answer in pieces', () => {
  /** A handler that counts its pieces, and their state. */
  function inPieces(count: number, failAt = Infinity) {
    const state: { made: number; ended: boolean; request?: HttpRequest } = { made: 0, ended: false };
    async function* pieces() {
      try {
        for (; state.made < count;) {
          await Promise.resolve();
          if (state.made === failAt) throw new Error('the disk is gone');
          state.made += 1;
          yield 'ä'.repeat(50_000);
        }
      } finally {
        state.ended = true;
      }
    }
    const handler: HttpHandler = (request) => {
      state.request = request;
      return Promise.resolve({ status: 200, headers: { 'Content-Type': 'text/plain' }, body: pieces() });
    };
    return { state, handler };
  }

  it('is produced as it is read, its memory reserved while it waits', async () => {
    const { state, handler } = inPieces(4);
    const memory = createMemoryBudget({ bytesMax: 300_000 });
    const answer = await createFetchHandler({ api: served(handler, { memory }) })(new Request(ORIGIN));
    expect(state.made).toBe(1);
    expect(memory.bytes).toBe(100_000);
    const reader = answer.body!.getReader();
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(state.made).toBe(1);
    await reader.read();
    expect(state.made).toBe(2);
    expect(memory.bytes).toBe(100_000);
    await reader.read();
    await reader.read();
    expect((await reader.read()).done).toBe(true);
    expect(state.ended).toBe(true);
    expect(memory.bytes).toBe(0);
  });

  it('whose first piece fails becomes an error answer', async () => {
    const { handler } = inPieces(4, 0);
    const answer = await createFetchHandler({ api: served(handler) })(new Request(ORIGIN));
    expect(answer.status).toBe(500);
    expect(await answer.text()).toBe('{"error":"Internal server error"}\n');
    expect(answer.headers.get('X-Request-Id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('for whose first piece there is no memory is a 503', async () => {
    const { state, handler } = inPieces(4);
    const memory = createMemoryBudget({ bytesMax: 50_000 });
    expect((await createFetchHandler({ api: served(handler, { memory }) })(new Request(ORIGIN))).status).toBe(
      503,
    );
    await Promise.resolve();
    expect(state.ended).toBe(true);
    expect(memory.bytes).toBe(0);
  });

  it('whose later piece fails errors, and the log says why', async () => {
    const { state, handler } = inPieces(4, 2);
    const [log, memory] = [createTestLog(), createMemoryBudget({ bytesMax: 300_000 })];
    const answer = await createFetchHandler({ api: served(handler, { log, memory }) })(
      new Request(`${ORIGIN}/a?b`),
    );
    await expect(answer.text()).rejects.toThrow();
    expect(log.entries).toMatchObject([{ message: 'an answer broke off', fields: { path: '/a' } }]);
    expect(state.ended).toBe(true);
    expect(memory.bytes).toBe(0);
  });

  it('ends its source and its work when it is cancelled', async () => {
    const { state, handler } = inPieces(4);
    const memory = createMemoryBudget({ bytesMax: 300_000 });
    const answer = await createFetchHandler({ api: served(handler, { memory }) })(new Request(ORIGIN));
    expect(state.request!.signal.aborted).toBe(false);
    await answer.body!.cancel();
    expect(state).toMatchObject({ made: 1, ended: true });
    expect(state.request!.signal.aborted).toBe(true);
    expect(memory.bytes).toBe(0);
  });

  it('that is never read ends with the request, and never looks complete', async () => {
    const { state, handler } = inPieces(4);
    const memory = createMemoryBudget({ bytesMax: 300_000 });
    const controller = new AbortController();
    const log = createTestLog();
    const request = new Request(ORIGIN, { signal: controller.signal });
    const answer = await createFetchHandler({ api: served(handler, { memory, log }) })(request);
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(state).toMatchObject({ made: 1, ended: true });
    expect(memory.bytes).toBe(0);
    await expect(answer.text()).rejects.toThrow();
    expect(log.entries).toEqual([]);
  });
});

describe('where it is mounted', () => {
  const target: HttpHandler = (request) =>
    Promise.resolve({ status: 200, headers: {}, body: request.target });

  it.each([
    ['', '/a?b=%20c', '/a?b=%20c'],
    ['', '', '/'],
    ['/', '/a', '/a'],
    ['/x', '/x/a', '/a'],
    ['/x/', '/x/a?b', '/a?b'],
    ['/x', '/x', '/'],
    ['/x', '/x?b', '/?b'],
    ['/x/y', '/x/y/a', '/a'],
    ['/x', '/xa', ''],
    ['/x', '/a', ''],
    ['', '/a#fragment', '/a'],
  ])('below %j, %j is %j', async (prefix, path, expected) => {
    const answer = await createFetchHandler({ api: served(target), prefix })(new Request(ORIGIN + path));
    expect(await answer.text()).toBe(expected);
  });

  it('takes a path', () => {
    expect(() => createFetchHandler({ api: served(target), prefix: 'x' })).toThrow('begins with /');
  });

  it('does not answer outside the prefix', async () => {
    const { handler } = createPlainApi();
    const answer = await createFetchHandler({ api: served(handler), prefix: '/x' })(
      new Request(`${ORIGIN}/healthz`),
    );
    expect(answer.status).toBe(404);
  });
});

describe('the resources of the web', () => {
  it('are like those of Node', async () => {
    const [web, node] = [webResources().runtime, testResources().runtime];
    for (const text of ['', 'eqk_secret', 'ü€😀']) expect(await web.sha256(text)).toBe(node.sha256(text));
    expect(web.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/);
    expect(web.randomBytes(32)).toHaveLength(32);
    expect(web.randomBytes(8)).not.toEqual(web.randomBytes(8));
    expect(Math.abs(web.now() - node.now())).toBeLessThan(1_000);
  });
});
