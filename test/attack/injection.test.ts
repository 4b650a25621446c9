import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { memoryStores } from '../../adapters/memory/index.ts';
import { createEngine, type FilterEntry } from '../../src/index.ts';
import { compilePredicate, parseCountBody } from '../../src/store-kit.ts';
import { PAYLOADS, PROTOTYPE_BODIES, PROTOTYPE_PATHS } from './corpus/injections.ts';
import { checkControl, faultsOf } from './target/checks.ts';
import { errorOf, post, toAnswer } from './target/post.ts';
import { CANARY, startTarget, type Target } from './target/target.ts';
import { testResources } from '../support/resources.ts';

let target: Target;
beforeAll(async () => {
  target = await startTarget();
});
afterAll(() => target.stop());

const filter = (property: string, comparison: string, value: unknown) => ({
  filterSet: [{ property, comparison, value }],
});
const COMPARISONS = ['EQUALS', 'CONTAINS', 'STARTS_WITH', 'ENDS_WITH', 'GREATER_THAN'];
const asText = (value: unknown) => JSON.stringify(value);

describe('code in every field is only text', () => {
  it('of a query: it finds nothing of anybody, and breaks nothing', async () => {
    const wrong: string[] = [];
    for (const [i, payload] of PAYLOADS.entries()) {
      const bodies: object[] = [
        { event: payload },
        { after: payload },
        { before: payload },
        { filterSet: payload },
        { [payload]: 1 },
        { pagination: { cursor: payload } },
        { pagination: { offset: payload } },
        { pagination: { [payload]: 1 } },
        filter('properties.text', payload, 1),
        filter(payload, 'EQUALS', 1),
        filter(`properties.${payload.replace(/[\\.]/g, '\\$&')}`, 'EQUALS', payload),
        filter(`properties.text.${payload.replace(/[\\.]/g, '\\$&')}.b`, 'IS_NOT_NULL', null),
        filter('eventTs', 'GREATER_THAN', payload),
        // Each payload in each field, with one operator after the other.
        ...['eventName', 'userId', 'insertId', 'properties.text'].map((path, k) =>
          filter(path, COMPARISONS[(i + k) % COMPARISONS.length]!, payload),
        ),
        filter('userId', 'IN', [payload, payload]),
      ];
      for (const body of bodies) {
        const answer = await post(target, 'query', asText(body));
        const rows = answer.status === 200 ? (JSON.parse(answer.body) as unknown[]).length : 0;
        // Only an order can be true of other texts than the payload itself.
        const mayMatch = asText(body).includes('GREATER_THAN');
        if (rows > 0 && !mayMatch) wrong.push(`${asText(body)} found ${rows} events`);
        if (answer.status !== 200 && answer.status !== 400) wrong.push(`${asText(body)}: ${answer.status}`);
        wrong.push(...faultsOf(answer, target).map((fault) => `${asText(body)}: ${fault}`));
      }
    }
    expect(wrong).toEqual([]);
    await checkControl(target);
  });

  it('of an event: it comes back as it went in', async () => {
    const at = Date.UTC(2024, 5, 1);
    const events = PAYLOADS.map((payload, i) => ({
      eventName: payload,
      userId: payload,
      eventTs: at + i,
      insertId: /^[\x20-\x7e]{1,128}$/.test(payload) ? payload : `payload-${i}`,
      properties: { [payload]: payload, nested: { [payload]: [payload] } },
    }));
    const sent = await post(target, 'ingest', asText(events));
    expect(JSON.parse(sent.body)).toEqual({ accepted: events.length, duplicates: 0, rejected: [] });
    for (const { eventName, properties, insertId } of events) {
      const path = `properties.nested.${eventName.replace(/[\\.]/g, '\\$&')}`;
      const body = { event: eventName, ...filter(path, 'CONTAINS', eventName) };
      const answer = await post(target, 'query', asText(body));
      expect(JSON.parse(answer.body)).toMatchObject([{ eventName, userId: eventName, properties, insertId }]);
    }
    const names = await fetch(`${target.origin}/v1/api/query/events/mallory`, {
      headers: { 'X-API-Key': target.key },
    });
    expect(await names.json()).toEqual(expect.arrayContaining(events.map(({ eventName }) => eventName)));
    await checkControl(target);
  });

  it('of a header: it opens nothing', async () => {
    const printable = PAYLOADS.filter((payload) => /^[\x20-\x7e]+$/.test(payload));
    for (const payload of printable) {
      for (const name of ['X-API-Key', 'Authorization', 'Content-Type', 'X-Request-Id', 'Cookie']) {
        const value = name === 'Authorization' ? `Chase ${payload}` : payload;
        const own = { 'X-API-Key': target.key, 'Content-Type': 'application/json' };
        const answer = await toAnswer(
          await fetch(`${target.origin}/v1/api/query/count/mallory`, {
            method: 'POST',
            headers: { ...own, [name]: value },
            body: '{}',
          }),
        );
        const status = name === 'X-API-Key' ? 401 : name === 'Content-Type' ? 415 : 200;
        expect([name, payload, answer.status]).toEqual([name, payload, status]);
        expect(faultsOf(answer, target)).toEqual([]);
      }
    }
  });
});

describe('prototypes', () => {
  const clean = asText(Object.getOwnPropertyNames(Object.prototype));

  it.each(PROTOTYPE_BODIES)('%s is refused in a query', async (body) => {
    const answer = await post(target, 'query', body);
    expect([answer.status, faultsOf(answer, target)]).toEqual([400, []]);
    await checkControl(target);
  });

  it.each(PROTOTYPE_PATHS)('%s finds nothing that is no key', async (path) => {
    for (const [comparison, value] of [
      ['IS_NOT_NULL', null],
      ['EQUALS', 'polluted'],
      ['CONTAINS', 'Object'],
    ]) {
      const body = { event: 'opened', ...filter(path, comparison ?? '', value) };
      const answer = await post(target, 'count', asText(body));
      expect(answer.body).toBe('{"count":0}\n');
    }
  });

  it('in events are keys like any other', async () => {
    const properties =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":"a"}';
    const sent = await post(
      target,
      'ingest',
      `[{"eventName":"proto","userId":"u","properties":${properties},` +
        '"eventTs":"2024-06-02T00:00:00Z","insertId":"p"}]',
    );
    expect(sent.status).toBe(200);
    const found = await post(
      target,
      'query',
      asText({ event: 'proto', ...filter('properties.__proto__.polluted', 'EQUALS', 1) }),
    );
    expect(found.body).toContain(`"properties":${properties}`);
    const others = await post(target, 'count', asText(filter('properties.polluted', 'IS_NOT_NULL', null)));
    expect(others.body).toBe('{"count":0}\n');
    const refused = await post(target, 'ingest', '[{"__proto__":{"eventName":"a","userId":"u"}}]');
    expect(errorOf(refused)).toContain('unknown key');
    await checkControl(target);
  });

  it('stay as they were in the process of the engine', async () => {
    const resources = testResources();
    const stores = memoryStores({ resources });
    const tenant = createEngine({ events: stores.events, resources }).tenant('t');
    const hostile = JSON.parse(
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}',
    ) as Record<string, unknown>;
    await tenant.append([{ eventName: 'a', userId: 'u', properties: hostile }]);
    const properties = { text: 'text', n: 1, nested: { flag: true } };
    await tenant.append([{ eventName: 'clean', userId: 'u', properties }]);
    for (const path of PROTOTYPE_PATHS) {
      const filterSet = [{ property: path, comparison: 'IS_NOT_NULL', value: null }] as FilterEntry[];
      expect([path, await tenant.count({ event: 'clean', filterSet })]).toEqual([path, 0]);
      for (const codeGeneration of [true, false]) {
        const holds = compilePredicate(parseCountBody({ filterSet }), { codeGeneration });
        const event = {
          eventName: 'clean',
          userId: 'u',
          eventTs: 0,
          insertId: 'i',
          properties,
        };
        expect([path, holds(event)]).toEqual([path, false]);
      }
    }
    for (const body of PROTOTYPE_BODIES) {
      await tenant.query(JSON.parse(body) as object).catch(() => undefined);
    }
    expect(asText(Object.getOwnPropertyNames(Object.prototype))).toBe(clean);
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  });
});

it('nothing of the victim has been read or changed', async () => {
  const answer = await fetch(`${target.origin}/v1/api/query/victim`, {
    method: 'POST',
    headers: { 'X-API-Key': target.victimKey, 'Content-Type': 'application/json' },
    body: '{}',
  });
  const events = (await answer.json()) as { eventName: string }[];
  expect(events.map(({ eventName }) => eventName)).toEqual(Array(5).fill(CANARY));
});
