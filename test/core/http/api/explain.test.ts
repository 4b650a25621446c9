import { describe, expect, expectTypeOf, it } from 'vitest';
import { createProgram } from '../../../../adapters/cli/program.ts';
import { QUESTION_NAMES } from '../../../../src/core/explain/asked.ts';
import { ROUTES } from '../../../../src/core/http/route.ts';
import type { ExplainBody, Explanation, QuestionName, Stores } from '../../../../src/index.ts';
import { ASKED } from '../../../conformance/question-bodies.ts';
import { createPlainApi } from '../../../support/plain-api.ts';

const PATH = '/v1/api/query/explain/acme';
const EVENTS = Array.from({ length: 5 }, (_, i) => ({
  eventName: 'a',
  userId: 'u',
  eventTs: Date.UTC(2024, 4, 18) + i,
  insertId: `${i}`,
  properties: { plan: 'pro', SHIPPING: 1, Total: i, user: { email: 'a' }, tags: [1] },
}));

async function openShop(
  wrap: (stores: Stores) => Stores = (stores) => stores,
  limits: { perMinute: number; perDay: number } | null = null,
) {
  const api = createPlainApi({ wrap });
  const key = await api.createTenant('acme', { plan: 'custom', limits });
  await (await api.tenant('acme')).append(EVENTS);
  const ask = (body: unknown) => api.post(PATH, body, { 'x-api-key': key });
  const explain = async (body: unknown) => JSON.parse((await ask(body)).body) as Explanation;
  return { ...api, key, ask, explain };
}

const test = (property: string, comparison = 'EQUALS', value: unknown = 'x') => ({
  property,
  comparison,
  value,
});

describe('an explanation', () => {
  it('tells what the query means, to the byte of a body that asks the same', async () => {
    const { ask } = await openShop();
    const { status, body } = await ask({ event: 'a', filterSet: [test('properties.plan')] });
    const name = '{"property":"eventName","comparison":"EQUALS","value":"a"}';
    const plan = '{"property":"properties.plan","comparison":"EQUALS","value":"x"}';
    const columns = ['eventName', 'properties.plan'].map(
      (path) => `{"path":"${path}","for":["filter"],"from":"column","read":0}`,
    );
    expect([status, body]).toEqual([
      200,
      `{"question":"query","body":{"filterSet":[${name},${plan}],"pagination":{"offset":0,"size":100}},` +
        `"unknownPaths":[],"more":false,"plan":{"by":"columns","events":5,` +
        `"paths":[{"path":"eventTs","for":["order"],"from":"order","read":0},${columns.join(',')}]},` +
        `"atMost":{"events":100}}\n`,
    ]);
  });

  it.each([
    ['properties.plam', ['properties.plan']],
    ['properties.total', ['properties.Total']],
    ['properties.shippin', ['properties.SHIPPING']],
    ['properties.email', ['properties.user.email']],
    ['properties.tags.0', ['properties.tags']],
    ['properties.user.plan', ['properties.plan']],
    ['properties.country', []],
    [`properties.${'x'.repeat(500)}`, []],
  ])('of %s, which no event has, names the nearest', async (path, nearest) => {
    const { explain } = await openShop();
    const filterSet = [{ not: { anyOf: [test(path), test('properties.plan'), test('userId')] } }, test(path)];
    expect((await explain({ filterSet })).unknownPaths).toEqual([{ path, nearest }]);
  });

  it('tells what has been read already, and what is read each time', async () => {
    const { explain, post, key } = await openShop();
    const body = {
      filterSet: [
        test('properties.plan'),
        test('insertId'),
        test('insertId', 'CONTAINS'),
        test('properties.tags', 'CONTAINS', 1),
      ],
    };
    await post('/v1/api/query/acme', body, { 'x-api-key': key });
    const { plan } = await explain(body);
    expect(plan).toEqual({
      by: 'columns',
      events: 5,
      paths: [
        { path: 'eventTs', from: 'order', read: 5, inTime: 5, for: ['order'] },
        { path: 'properties.plan', from: 'column', read: 5, for: ['filter'] },
        { path: 'insertId', from: 'hashes', read: 5, for: ['filter'] },
        { path: 'insertId', from: 'events', read: 0, for: ['filter'] },
        { path: 'properties.tags', from: 'column', read: 5, for: ['filter'] },
      ],
    });
  });

  it('knows nothing of how a store answers that does not say', async () => {
    const { explain } = await openShop((stores) => {
      const events = { ...stores.events };
      delete events.plan;
      return { ...stores, events };
    });
    expect((await explain({})).plan).toEqual({ by: 'store', paths: [{ path: 'eventTs', for: ['order'] }] });
  });

  it('takes no token, also where none is left, and is refused like a query', async () => {
    const { ask, post, key } = await openShop(undefined, { perMinute: 1, perDay: 20 });
    expect((await ask({})).headers['X-RateLimit-Remaining']).toBe('1');
    expect((await post('/v1/api/query/acme', {}, { 'x-api-key': key })).status).toBe(200);
    expect((await post('/v1/api/query/acme', {}, { 'x-api-key': key })).status).toBe(429);
    const free = await ask({});
    expect([free.status, free.headers['X-RateLimit-Remaining']]).toEqual([200, '0']);
    expect((await ask({ pagination: { size: 0 } })).status).toBe(400);
    expect((await post(PATH, {}, { 'x-api-key': 'eqk_0' })).status).toBe(401);
  });

  it('takes a token where the store reads every event for its paths', async () => {
    const wrap = (stores: Stores) => {
      const events = { ...stores.events };
      delete events.properties;
      return { ...stores, events };
    };
    const { ask } = await openShop(wrap, { perMinute: 1, perDay: 20 });
    const body = { filterSet: [test('properties.plan')] };
    expect((await ask(body)).headers['X-RateLimit-Remaining']).toBe('0');
    expect((await ask(body)).status).toBe(429);
  });

  it('says that a path may be among those that are not kept', async () => {
    const { explain, tenant } = await openShop();
    const wide = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`k${i}`, i]));
    await (await tenant('acme')).append([{ ...EVENTS[0]!, insertId: 'wide', properties: wide }]);
    const { more, unknownPaths } = await explain({ filterSet: [test('properties.k9999')] });
    expect([more, unknownPaths[0]?.path]).toEqual([true, 'properties.k9999']);
  });

  it('has read no more events than there are, whatever was erased', async () => {
    const { explain, tenant, post, key } = await openShop();
    const filterSet = [test('properties.Total', 'LESS_THAN', 3), test('eventName')];
    await post('/v1/api/query/acme', { filterSet }, { 'x-api-key': key });
    const one = { property: 'properties.Total', comparison: 'EQUALS', value: 1 } as const;
    expect(await (await tenant('acme')).erase({ filterSet: [one] })).toBe(1);
    const { plan } = await explain({ filterSet });
    expect(plan).toMatchObject({ events: 4, paths: [{ read: 4 }, { read: 4 }, { read: 4 }] });
    await post('/v1/api/query/acme', { filterSet }, { 'x-api-key': key });
    expect((await explain({ filterSet })).plan).toEqual(plan);
  });

  it.each(ASKED)('of a %s is the same in process, and costs nothing: %j', async (question, body) => {
    const { ask, tenant } = await openShop(undefined, { perMinute: 1, perDay: 20 });
    const sent = { ...body, question } as ExplainBody;
    const answer = await ask(sent);
    expect([answer.status, answer.headers['X-RateLimit-Remaining']]).toEqual([200, '1']);
    expect(JSON.parse(answer.body)).toEqual(await (await tenant('acme')).explain(sent));
  });

  it('reads no event, and says so before and after the question has read them', async () => {
    const { explain, post, key } = await openShop();
    const body = { steps: [{ event: 'a' }, { filterSet: [test('properties.Total', 'LESS_THAN', 3)] }] };
    const before = await explain({ ...body, question: 'sequence' });
    expect(before.plan).toEqual({
      ...{ by: 'columns', events: 5 },
      paths: [
        { path: 'eventTs', from: 'order', read: 0, for: ['order'] },
        { path: 'eventName', from: 'column', read: 0, for: ['steps'] },
        { path: 'properties.Total', from: 'column', read: 0, for: ['steps'] },
        { path: 'userId', from: 'column', read: 0, for: ['distinct'] },
      ],
    });
    await post('/v1/api/query/sequence/acme', body, { 'x-api-key': key });
    const { plan } = await explain({
      ...body,
      question: 'sequence',
      after: '2024-05-18',
      before: '2024-05-18',
    });
    expect(plan).toMatchObject({
      paths: [{ read: 5, inTime: 5, for: ['time', 'order'] }, { read: 5 }, { read: 5 }, { read: 5 }],
      streams: { values: 1, events: 5, parts: 1 },
    });
    expect((await explain({ ...body, question: 'sequence', after: '2024-05-19' })).plan).toMatchObject({
      streams: { values: 1, events: 0, parts: 1 },
    });
    expect((await explain({ question: 'count' })).plan).toEqual({ by: 'columns', events: 5, paths: [] });
  });

  it('says what is put together from pages', async () => {
    const { explain } = await openShop((stores) => {
      const events = { ...stores.events };
      delete events.breakdown;
      delete events.streams;
      return { ...stores, events };
    });
    const at = (path: string, use: string) => ({ path, for: [use] });
    const streams = [at('eventTs', 'order'), at('userId', 'distinct')];
    expect((await explain({ question: 'users' })).plan).toEqual({ by: 'pages', paths: streams });
    expect((await explain({ question: 'breakdown', by: 'properties.plan' })).plan).toEqual({
      ...{ by: 'pages', paths: [at('properties.plan', 'by')] },
    });
    expect((await explain({ question: 'top', of: 'properties.Total' })).plan).toMatchObject({
      by: 'columns',
    });
  });

  it('of a tail is refused where the order of arrival is not known, as the tail is', async () => {
    const { ask, post, key } = await openShop((stores) => {
      const events = { ...stores.events };
      delete events.since;
      return { ...stores, events };
    });
    const refused = await ask({ question: 'tail' });
    const tail = await post('/v1/api/query/tail/acme', {}, { 'x-api-key': key });
    expect([refused.status, refused.body]).toEqual([501, tail.body]);
  });

  const BAD: Readonly<Record<QuestionName, readonly object[]>> = {
    query: [{ by: 'day' }, { pagination: { size: 0 } }, { after: 'x' }, { timeZone: 'Berlin' }],
    count: [{ pagination: {} }, { filterSet: [{ property: 'x' }] }],
    breakdown: [{}, { by: 'plan' }, { by: ['day', 'hour'] }, { by: 'day', rest: 1 }],
    sequence: [{}, { steps: [] }, { steps: [{}], without: [{ after: 1 }] }, { steps: [{}], within: '1y' }],
    users: [{ having: [{}] }, { sequence: { steps: [{}] } }, { pagination: { cursor: 'x' } }],
    retention: [{ steps: [{}] }, { steps: [{}, {}], unit: 'hour' }],
    compare: [{}, { selected: { timeZone: 'UTC' } }, { selected: {}, paths: ['n'] }],
    top: [{}, { of: 'userId' }],
    tail: [{ pagination: {} }],
    export: [{ pagination: { cursor: 'x' } }, { pagination: { offset: 1 } }],
  };

  it.each(Object.entries(BAD))(
    'of a %s refuses what the question refuses, in its words',
    async (name, bodies) => {
      const { ask, post, key } = await openShop();
      for (const body of bodies) {
        const path = `/v1/api/query/${name === 'query' ? '' : `${name}/`}acme`;
        const own = await post(path, body, { 'x-api-key': key });
        expect(own.status, JSON.stringify(body)).toBe(400);
        const { status, body: words } = await ask({ ...body, question: name });
        expect([status, words]).toEqual([400, own.body]);
      }
    },
  );

  it.each([['counts'], ['__proto__'], ['toString'], [5], [null], [['query']], ['explain'], ['properties']])(
    'of the question %j is refused with the names that there are',
    async (question) => {
      const { ask } = await openShop();
      const { status, body } = await ask({ question });
      expect(status).toBe(400);
      expect(body).toContain(`question: takes one of ${QUESTION_NAMES.join(', ')}; got `);
    },
  );

  it('is there for each question that has a body, and each has a command that explains it', () => {
    type Asking = Extract<(typeof ROUTES)[number], { caller: 'key'; methods: readonly ['POST'] }>['name'];
    expectTypeOf<Exclude<Asking, 'explain'>>().toEqualTypeOf<QuestionName>();
    const asking = ROUTES.filter(({ caller, methods }) => caller === 'key' && methods[0] === 'POST');
    expect(asking.map(({ name }) => name).sort()).toEqual([...QUESTION_NAMES, 'explain'].sort());
    const commands = createProgram().commands.filter(({ options }) =>
      options.some(({ long }) => long === '--explain'),
    );
    expect(commands.map((command) => command.name()).sort()).toEqual([...QUESTION_NAMES].sort());
  });

  it('is of the engine too', async () => {
    const { tenant } = await openShop();
    const { unknownPaths } = await (
      await tenant('acme')
    ).explain({
      filterSet: [{ property: 'properties.planet', comparison: 'IS_NULL', value: null }],
    });
    expect(unknownPaths).toEqual([{ path: 'properties.planet', nearest: ['properties.plan'] }]);
  });
});
