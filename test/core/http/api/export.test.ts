import { parse } from 'csv-parse/sync';
import { describe, expect, it } from 'vitest';
import { unavailable, type EventInput, type Stores } from '../../../../src/index.ts';
import { createMemoryBudget, createScheduler } from '../../../../src/transport-kit.ts';
import { collect } from '../../../../src/internal.ts';
import { pageOf } from '../../../../src/store-kit.ts';
import { createPlainApi, toRequest } from '../../../support/plain-api.ts';

const PATH = '/v1/api/query/export/acme';
const DAY = Date.UTC(2024, 4, 18);
const eventOf = (i: number, properties: object = { i }) =>
  ({
    eventName: i % 2 === 0 ? 'even' : 'odd',
    userId: 'u',
    eventTs: DAY + i,
    insertId: `${i}`,
    properties,
  }) as EventInput;

async function openShop(
  events: readonly EventInput[] = Array.from({ length: 2500 }, (_, i) => eventOf(i)),
  options: Parameters<typeof createPlainApi>[0] = {},
  limits: { perMinute: number; perDay: number } | null = null,
) {
  const api = createPlainApi(options);
  const key = await api.createTenant('acme', { plan: 'custom', limits });
  const shop = await api.tenant('acme');
  await shop.append(events);
  const headers = { 'x-api-key': key };
  const ask = (body: unknown = {}, accept?: string) =>
    api.post(PATH, body, accept === undefined ? headers : { ...headers, accept });
  return { ...api, shop, ask, headers };
}

const linesOf = (body: string) => body.split('\n').slice(0, -1);
const idsOf = (body: string) =>
  linesOf(body).map((line) => (JSON.parse(line) as { insertId: string }).insertId);
const descending = (from: number, step = 1) =>
  Array.from({ length: Math.floor(from / step) + 1 }, (_, i) => String(from - i * step));

const rowsOf = (csv: string): string[][] => parse(csv);

describe('an export as NDJSON', () => {
  it('is every event that matches, newest first, beyond any page', async () => {
    const { ask } = await openShop();
    const all = await ask();
    expect([all.status, all.headers['Content-Type']]).toEqual([200, 'application/x-ndjson']);
    expect(idsOf(all.body)).toEqual(descending(2499));
    expect(idsOf((await ask({ event: 'even' })).body)).toEqual(descending(2498, 2));
    const filterSet = [{ property: 'properties.i', comparison: 'LESS_THAN', value: 3 }];
    expect(idsOf((await ask({ filterSet })).body)).toEqual(['2', '1', '0']);
    expect((await ask({ event: 'none' })).body).toBe('');
  });

  it.each([[1000], [2000]])('of %i events is as long as they are', async (length) => {
    const { ask } = await openShop(Array.from({ length }, (_, i) => eventOf(i)));
    expect(idsOf((await ask()).body)).toEqual(descending(length - 1));
  });

  it('leaves in texts of half a mebibyte, however much is read at once', async () => {
    const events = Array.from({ length: 300 }, (_, i) => eventOf(i, { text: 'x'.repeat(10_000) }));
    const { handler, headers } = await openShop(events, {
      wrap: (stores) => ({
        ...stores,
        events: {
          ...stores.events,
          query: async (...asked) => pageOf(await collect(await stores.events.query(...asked))),
        },
      }),
    });
    const request = { target: PATH, headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
    const lengths: number[] = [];
    for await (const text of (await handler(toRequest(request))).body) lengths.push(text.length);
    expect(lengths.length).toBeGreaterThan(4);
    expect(Math.max(...lengths)).toBeLessThan(550_000);
  });

  it('rests when another request has come meanwhile, and only then', async () => {
    let rests = 0;
    const sleep = () => Promise.resolve(void (rests += 1));
    const now = () => performance.now();
    const scheduler = createScheduler({ now, nextTurn: () => Promise.resolve(), sleep });
    const { handler, headers, post } = await openShop(undefined, { resources: { scheduler } });
    const request = { target: PATH, headers: { ...headers, 'content-type': 'application/json' }, body: '{}' };
    let texts = 0;
    for await (const text of (await handler(toRequest(request))).body) {
      expect(text).not.toBe('');
      texts += 1;
      expect(rests).toBe(texts > 2 ? 1 : 0);
      if (texts === 2) await post('/v1/api/query/count/acme', {}, headers);
    }
    expect([texts, rests]).toEqual([3, 1]);
  });

  it('sent in again is the same, byte for byte', async () => {
    const { ask } = await openShop(Array.from({ length: 1200 }, (_, i) => eventOf(i, { i, 'ü "': [null] })));
    const { body } = await ask();
    const other = await openShop([]);
    const target = '/v1/events/acme/multi';
    const stored = await other.send({ target, headers: { 'content-type': 'application/x-ndjson' }, body });
    expect(JSON.parse(stored.body)).toEqual({ accepted: 1200, duplicates: 0, rejected: [] });
    expect((await other.ask()).body).toBe(body);
  });

  it('goes on behind any event that came, and behind a page', async () => {
    const { ask, post, headers } = await openShop();
    const line = linesOf((await ask()).body)[1234]!;
    const { eventTs, insertId } = JSON.parse(line) as { eventTs: string; insertId: string };
    const rest = await ask({ pagination: { after: { eventTs, insertId } } });
    expect(idsOf(rest.body)).toEqual(descending(2499 - 1235));
    const page = await post('/v1/api/query/acme', { event: 'odd', pagination: { size: 10 } }, headers);
    const cursor = page.headers['X-Next-Cursor'];
    expect(idsOf((await ask({ event: 'odd', pagination: { cursor } })).body)).toEqual(descending(2479, 2));
  });

  it.each([
    [{ pagination: { size: 10 } }, 'pagination: unknown key "size"; use one of cursor, after'],
    [
      { pagination: { after: { eventTs: 'x', insertId: 'a' } } },
      'pagination.after: takes the eventTs and the insertId of an event, unchanged',
    ],
    [
      { pagination: { after: { eventTs: '2024-05-18T00:00:00Z', insertId: 'ü' } } },
      'pagination.after: takes the eventTs and the insertId of an event, unchanged',
    ],
    [
      { pagination: { cursor: 'x' } },
      'pagination.cursor: takes the X-Next-Cursor of the page before, unchanged',
    ],
    [
      { pagination: { cursor: 'x', after: { eventTs: '2024-05-18T00:00:00Z', insertId: 'a' } } },
      'pagination: takes a cursor or the event before, not both',
    ],
    [
      { by: 'day' },
      'body: unknown key "by"; use one of event, after, before, from, until, timeZone, filterSet, ' +
        'pagination, include',
    ],
  ])('of %j is a 400', async (body, error) => {
    const { ask } = await openShop([]);
    const refused = await ask(body);
    expect([refused.status, JSON.parse(refused.body)]).toEqual([400, { error }]);
  });
});

describe('an export as CSV', () => {
  it('has the columns of the events that are asked for', async () => {
    const { ask } = await openShop([eventOf(0, { plan: 'a,"b"\n' }), eventOf(1, { n: -1, formula: '=1' })]);
    const all = await ask({}, 'text/csv');
    expect([all.status, all.headers['Content-Type']]).toEqual([
      200,
      'text/csv; charset=utf-8; header=present',
    ]);
    const fields = ['eventName', 'userId', 'eventTs', 'eventDate', 'insertId'];
    const day = '2024-05-18';
    expect(rowsOf(all.body)).toEqual([
      [...fields, 'properties.formula', 'properties.n', 'properties.plan'],
      ['odd', 'u', `${day}T00:00:00.001Z`, day, '1', "'=1", '-1', ''],
      ['even', 'u', `${day}T00:00:00.000Z`, day, '0', '', '', 'a,"b"\n'],
    ]);
    expect(rowsOf((await ask({ event: 'even' }, 'text/csv')).body)[0]).toEqual([
      ...fields,
      'properties.plan',
    ]);
    expect((await ask({ event: 'none' }, 'text/csv')).body).toBe(`${fields.join(',')}\r\n`);
  });

  it.each([
    ['text/csv', 'text/csv'],
    ['TEXT/CSV; charset=utf-8, */*;q=0.1', 'text/csv'],
    ['application/x-ndjson;q=0.5, text/csv;q=0.7', 'text/csv'],
    ['application/x-ndjson, text/csv;q=0.7', 'application/x-ndjson'],
    ['text/csv;q=0, */*', 'application/x-ndjson'],
    ['*/*', 'application/x-ndjson'],
    ['', 'application/x-ndjson'],
    ['text/*', 'text/csv'],
    ['application/jsonl', 'application/x-ndjson'],
    ['application/json, text/plain, */*', 'application/x-ndjson'],
    ['application/vnd.apache.parquet, text/csv;q=0.1', 'text/csv'],
    [
      'text/csv; bom=present; separator=semicolon',
      'text/csv; charset=utf-8; header=present; bom=present; separator=semicolon',
    ],
    ['text/csv; header="present"; x=";,"', 'text/csv; charset=utf-8; header=present'],
    ['application/x-ndjson; end=present', 'application/x-ndjson; end=present'],
  ])('Accept: %s is answered with %s', async (accept, type) => {
    const { ask } = await openShop([eventOf(0)]);
    expect((await ask({}, accept)).headers['Content-Type']).toMatch(type);
  });

  it.each([
    'application/json',
    'text/csv;q=0',
    'text/html, application/xml;q=0.9',
    'text/csv; charset=utf-16',
    'text/csv; header=absent',
    'text/csv; separator=pipe',
    '*/*;q=0',
    ','.repeat(5000),
  ])('Accept: %.40s is a 406, and takes no token', async (accept) => {
    const { ask } = await openShop([eventOf(0)], {}, { perMinute: 1, perDay: 1 });
    const refused = await ask({}, accept);
    expect([refused.status, refused.body]).toEqual([
      406,
      expect.stringContaining('Accept: can be application/x-ndjson or '),
    ]);
    expect((await ask()).status).toBe(200);
  });

  it('an answer of JSON cannot be CSV', async () => {
    const { post, headers } = await openShop([eventOf(0)]);
    const asked = (accept: string) => post('/v1/api/query/acme', {}, { ...headers, accept });
    expect((await asked('text/csv')).status).toBe(406);
    for (const accept of ['*/*', 'application/*', 'application/json; charset=utf-8', 'text/html, */*;q=0.1'])
      expect((await asked(accept)).status).toBe(200);
  });

  it('has the separator and the mark that are asked for', async () => {
    const { ask } = await openShop([eventOf(0)]);
    const { body } = await ask({}, 'text/csv; bom=present; separator=semicolon');
    expect(body.split('\r\n')[0]).toBe('\ufeffeventName;userId;eventTs;eventDate;insertId;properties.i');
    expect((await ask({}, 'text/csv; separator=tab')).body).toMatch(/^eventName\tuserId\t/);
  });

  it('has times that a spreadsheet takes for times where asked for, and texts as they are', async () => {
    const text = '2026-05-18T10:00:00.000Z';
    const { ask } = await openShop([eventOf(0, { text })]);
    const accept = 'text/csv; bom=present; times=spreadsheet';
    const { body, headers } = await ask({ include: ['receivedAt'] }, accept);
    expect(headers['Content-Type']).toContain('times=spreadsheet');
    const [head, first] = body.split('\r\n').map((line) => line.split(','));
    const cell = (name: string) => first![head!.findIndex((each) => each.endsWith(name))];
    expect(cell('eventTs')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
    expect(cell('receivedAt')).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3}$/);
    expect(cell('properties.text')).toBe(text);
    expect((await ask({}, 'text/csv')).body).toMatch(/,\d{4}-\d\d-\d\dT[\d:.]+Z,/);
  });

  it('books its columns as long as lines leave', async () => {
    const memory = createMemoryBudget({ bytesMax: 536_870_912 });
    const properties = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key${i}`, i]));
    const { handler, headers, ask } = await openShop(
      Array.from({ length: 400 }, (_, i) => eventOf(i, { ...properties, i })),
      { resources: { memory } },
    );
    // What the store knows of the properties stays.
    await ask({}, 'text/csv');
    const before = memory.bytes;
    const csv = { ...headers, accept: 'text/csv', 'content-type': 'application/json' };
    const { body } = await handler(toRequest({ target: PATH, headers: csv, body: '{}' }));
    const pieces = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await pieces.next();
    expect(memory.bytes - before).toBeGreaterThan(500 * 512);
    await pieces.return?.();
    expect(memory.bytes).toBe(before);
    expect((await ask({}, 'text/csv')).status).toBe(200);
  });

  it('of more paths than are kept is a 400', async () => {
    const wide = (from: number) =>
      Object.fromEntries(Array.from({ length: 5001 }, (_, i) => [`k${from + i}`, i]));
    const { ask } = await openShop([eventOf(0, wide(0)), eventOf(1, wide(5001))]);
    const refused = await ask({}, 'text/csv');
    const most = 'more than 10000 property paths, or longer ones than are kept';
    const error = `Accept: these events have ${most}; take them as NDJSON`;
    expect([refused.status, JSON.parse(refused.body), refused.headers['Content-Type']]).toEqual([
      400,
      { error },
      'application/json',
    ]);
  });
});

describe('the end of an export', () => {
  it.each([
    ['application/x-ndjson', '{"end":true}\n'],
    ['text/csv', '"end"\r\n'],
  ])('as %s is a line of its own where a reader asks for it', async (type, lastLine) => {
    const { ask } = await openShop();
    const plain = await ask({}, type);
    const marked = await ask({}, `${type}; end=present`);
    expect(marked.body).toBe(plain.body + lastLine);
    expect(marked.headers['Content-Type']).toMatch(/; end=present$/);
    const none = await ask({ event: 'none' }, `${type}; end=present`);
    expect(none.body.endsWith(lastLine)).toBe(true);
  });

  it('is like no other line, nor any part of a cell', async () => {
    const text = '\r\n"end"\r\n{"end":true}\n';
    const { ask } = await openShop([
      { ...eventOf(0, { end: true, text }), userId: '"end"', eventName: text },
    ]);
    for (const [type, lastLine] of [
      ['application/x-ndjson', '{"end":true}\n'],
      ['text/csv', '"end"\r\n'],
    ] as const) {
      const { body } = await ask({}, `${type}; end=present`);
      for (let cut = 1; cut < body.length; cut++)
        expect(`\n${body.slice(0, cut)}`.endsWith(`\n${lastLine}`)).toBe(false);
    }
  });

  it('has to be asked for over HTTP/1.0, where the end of a connection ends an answer', async () => {
    const { handler, headers } = await openShop();
    const ask = async (accept: string, protocolVersion: string) => {
      const request = toRequest({
        target: PATH,
        headers: { ...headers, accept, 'content-type': 'application/json' },
        body: '{}',
      });
      return handler({ ...request, protocolVersion });
    };
    const refused = await ask('text/csv', '1.0');
    expect([refused.status, refused.headers.Upgrade]).toEqual([426, 'HTTP/1.1']);
    expect(refused.body).toContain('proxy_http_version 1.1');
    expect((await ask('text/csv; end=present', '1.0')).status).toBe(200);
    expect((await ask('text/csv', '1.1')).status).toBe(200);
  });
});

describe('an export as it leaves', () => {
  it('as a table, works in many turns for one text', async () => {
    let [turns, ms] = [0, 0];
    const scheduler = createScheduler({
      now: () => (ms += 1),
      nextTurn: () => {
        turns += 1;
        return new Promise((resolve) => void setImmediate(resolve));
      },
    });
    const { handler, headers } = await openShop(undefined, { resources: { scheduler } });
    const csv = { ...headers, accept: 'text/csv', 'content-type': 'application/json' };
    const { body } = await handler(toRequest({ target: PATH, headers: csv, body: '{}' }));
    const pieces = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    const before = turns;
    const lines = String((await pieces.next()).value).split('\r\n').length;
    await pieces.return?.();
    // Each look at the clock takes a millisecond here, and a turn has four.
    expect(lines).toBeGreaterThan(1000);
    expect(turns - before).toBeGreaterThan(lines / 8);
  });

  it('ends with its key', async () => {
    const { handler, headers, admin, clock, ask } = await openShop();
    const all = { ...headers, 'content-type': 'application/json' };
    const { body } = await handler(toRequest({ target: PATH, headers: all, body: '{}' }));
    const pieces = (body as AsyncIterable<string>)[Symbol.asyncIterator]();
    expect((await pieces.next()).done).toBe(false);
    const [key] = await admin.listKeys('acme');
    await admin.revokeKey('acme', key!.id);
    clock.advance(1);
    await expect(pieces.next()).rejects.toThrow('Invalid API key or insufficient permissions');
    expect((await ask()).status).toBe(401);
  });

  it('takes one token, whatever it is long', async () => {
    const { ask } = await openShop(undefined, {}, { perMinute: 2, perDay: 20 });
    expect((await ask()).headers['X-RateLimit-Remaining']).toBe('1');
    expect((await ask({ pagination: { size: 1 } })).headers['X-RateLimit-Remaining']).toBe('1');
    expect((await ask()).headers['X-RateLimit-Remaining']).toBe('0');
    expect((await ask()).status).toBe(429);
  });

  it('reads no page before the client has taken the one before, and none when it has gone', async () => {
    let pages = 0;
    const { handler, headers } = await openShop(undefined, {
      wrap: (stores) => counting(stores, () => (pages += 1)),
    });
    const signal = { aborted: false };
    const all = { ...headers, 'content-type': 'application/json' };
    const { body } = await handler(toRequest({ target: PATH, headers: all, body: '{}', signal }));
    if (typeof body === 'string') throw new Error('an export is no single text');
    expect(pages).toBe(1);
    const pieces = body[Symbol.asyncIterator]();
    expect(idsOf(String((await pieces.next()).value))).toHaveLength(1000);
    expect(pages).toBe(1);
    expect((await pieces.next()).done).toBe(false);
    expect(pages).toBe(2);
    await pieces.return?.();
    expect(pages).toBe(2);
    const again = await handler(toRequest({ target: PATH, headers: all, body: '{}', signal }));
    const left = (again.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    await left.next();
    signal.aborted = true;
    await expect(left.next()).rejects.toThrow();
    expect(pages).toBeLessThan(5);
  });

  it('whose first page fails is an error, with the limits of the caller and a line in the log', async () => {
    const failing = (stores: Stores): Stores => ({
      ...stores,
      events: { ...stores.events, query: () => Promise.reject(unavailable(new Error('no disk'))) },
    });
    const { ask, log } = await openShop([], { wrap: failing }, { perMinute: 2, perDay: 20 });
    const { status, headers } = await ask();
    expect([status, headers['Content-Type'], headers['X-RateLimit-Remaining']]).toEqual([
      503,
      'application/json',
      '1',
    ]);
    expect(log.entries.some(({ level }) => level === 'error')).toBe(true);
  });
});

/** Stores that tell of each page that is asked for, and do not ask whether anybody waits for it. */
function counting(stores: Stores, count: () => void): Stores {
  const query: Stores['events']['query'] = (tenantId, asked, page) => {
    count();
    return stores.events.query(tenantId, asked, page);
  };
  return { ...stores, events: { ...stores.events, query } };
}
