import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FilterEntry, QuestionName, StoredEvent } from '../../../../src/index.ts';
import { isEverything } from '../../../../src/core/filter/condition.ts';
import { parseFilterSet } from '../../../../src/core/filter/parse-filter.ts';
import { ROUTES } from '../../../../src/core/http/route.ts';
import { parseCountBody } from '../../../../src/store-kit.ts';
import { batchesOf } from '../../../conformance/arbitraries/events.ts';
import { filterEntries } from '../../../conformance/arbitraries/filters.ts';
import { bodies } from '../../../conformance/arbitraries/queries.ts';
import {
  retentionBodies,
  sequenceBodies,
  steppingBatches,
  usersBodies,
} from '../../../conformance/arbitraries/sequences.ts';
import { firstWrites, referenceOf } from '../../../conformance/expected.ts';
import { ASKED, ASKED_EVENTS } from '../../../conformance/question-bodies.ts';
import { createPlainApi } from '../../../support/plain-api.ts';

/** The questions that a key may ask that reads only some events. */
const MAY_ASK = ['query', 'count', 'breakdown', 'sequence', 'users', 'retention', 'top', 'export'] as const;
/** The routes that tell of all events of the tenant, and what each says of it. */
const REFUSED: Readonly<Record<string, string>> = {
  eventNames: 'The list of event names',
  properties: 'The list of properties',
  compare: 'A comparison over all paths',
  explain: 'An explanation',
  tail: 'A tail',
};

const IS_VIEW = [{ property: 'eventName', comparison: 'EQUALS', value: 'viewed' }] as const;
const OF_ADA = [{ property: 'userId', comparison: 'EQUALS', value: 'ada' }] as const;

type Question = readonly [name: QuestionName, body: object];

/** Two tenants: `all` has all events and a key that reads some, `some` has these alone and a key for all. */
async function openTwo(events: readonly StoredEvent[], filterSet: readonly FilterEntry[]) {
  const api = createPlainApi();
  const readable = referenceOf(events)(parseCountBody({ filterSet }));
  await api.createTenant('all');
  const { secret } = await api.admin.createKey('all', { name: 'some', permissions: ['query'], filterSet });
  const keys = { all: secret, some: await api.createTenant('some') };
  for (const [alias, own] of [
    ['all', events],
    ['some', readable],
  ] as const)
    await api.stores.events.append((await api.admin.getTenant(alias)).id, own);
  const ask = async (alias: 'all' | 'some', [name, body]: Question) => {
    const place = name === 'query' ? alias : `${name}/${alias}`;
    const answer = await api.post(`/v1/api/query/${place}`, body, { 'x-api-key': keys[alias] });
    return [answer.status, answer.body, answer.headers['X-Next-Cursor']] as const;
  };
  return { ...api, ask, secret };
}

/** A question of any kind that such a key may ask. */
function questions(events: readonly StoredEvent[]): fc.Arbitrary<Question> {
  const counted = bodies(events);
  const named = (name: QuestionName, of: fc.Arbitrary<object>) => of.map((body): Question => [name, body]);
  return fc.oneof(
    named('count', counted),
    named('query', counted),
    named('export', counted),
    named(
      'breakdown',
      fc.tuple(counted, fc.constantFrom('eventName', 'userId', 'day')).map(([body, by]) => ({ ...body, by })),
    ),
    named(
      'top',
      counted.map((body) => ({ ...body, of: 'properties.total' })),
    ),
    named('sequence', sequenceBodies(events)),
    named('users', usersBodies(events)),
    named('retention', retentionBodies(events)),
  );
}

const examples = fc
  .oneof(batchesOf({ batches: 2, size: 12 }), steppingBatches(12))
  .map(firstWrites)
  .chain((events) =>
    fc.record({
      events: fc.constant(events),
      filterSet: fc.array(filterEntries(events), { minLength: 1, maxLength: 2 }),
      asked: fc.array(questions(events), { minLength: 1, maxLength: 6 }),
    }),
  )
  .filter(({ filterSet }) => !isEverything(parseFilterSet(filterSet, 'filterSet')));

describe('a key that reads only some events', () => {
  it('is answered as if there were no others', async () => {
    await fc.assert(
      fc.asyncProperty(examples, async ({ events, filterSet, asked }) => {
        const { ask } = await openTwo(events, filterSet);
        for (const each of asked)
          expect([each, await ask('all', each)]).toEqual([each, await ask('some', each)]);
      }),
    );
  });

  it.each(ASKED.filter(([name]) => (MAY_ASK as readonly string[]).includes(name)))(
    'is answered so to a %s %j',
    async (...question) => {
      for (const filterSet of [IS_VIEW, OF_ADA]) {
        const { ask } = await openTwo(ASKED_EVENTS, filterSet);
        expect(await ask('all', question)).toEqual(await ask('some', question));
      }
    },
  );

  it('goes through pages of events and of users by cursors', async () => {
    const { ask } = await openTwo(ASKED_EVENTS, OF_ADA);
    for (const [name, total] of [
      ['query', 3],
      ['users', 1],
    ] as const) {
      const found: unknown[] = [];
      let cursor: string | undefined;
      do {
        const pagination = { size: 1, ...(cursor === undefined ? {} : { cursor }) };
        const [status, body, next] = await ask('all', [name, { pagination }]);
        expect(status).toBe(200);
        found.push(...(JSON.parse(body) as unknown[]));
        cursor = next;
      } while (cursor !== undefined);
      expect([name, found.length]).toEqual([name, total]);
    }
  });

  it('gets other answers than another key to the same text', async () => {
    const api = await openTwo(ASKED_EVENTS, IS_VIEW);
    const other = { name: 'other', permissions: ['query'], filterSet: OF_ADA };
    const { secret } = await api.admin.createKey('all', other);
    const answers = [api.secret, secret, api.secret].map(async (key) => {
      const { body } = await api.post('/v1/api/query/count/all', {}, { 'x-api-key': key });
      return body;
    });
    expect(await Promise.all(answers)).toEqual(['{"count":4}\n', '{"count":3}\n', '{"count":4}\n']);
  });

  it('is refused, at no cost, what tells of all events; each route says which it is', async () => {
    const api = createPlainApi();
    await api.admin.createTenant({ alias: 'acme', plan: 'custom', limits: { perMinute: 9, perDay: 99 } });
    const options = { name: 'some', permissions: ['query'], filterSet: IS_VIEW };
    const { secret } = await api.admin.createKey('acme', options);
    const ofKeys = ROUTES.filter(({ caller }) => caller === 'key');
    expect(ofKeys.map(({ name }) => name).sort()).toEqual([...MAY_ASK, ...Object.keys(REFUSED)].sort());
    for (const { name, path, methods } of ofKeys) {
      const what = REFUSED[name];
      if (what === undefined) continue;
      const headers = { 'x-api-key': secret, 'content-type': 'application/json' };
      const target = path.replace('{tenantId}', 'acme');
      const answer = await api.send({ method: methods[0], target, headers, body: '{' });
      const error = `This API key reads only some events. ${what} takes a key that reads all of them.`;
      expect([name, answer.status, answer.body]).toEqual([name, 403, `${JSON.stringify({ error })}\n`]);
      expect(answer.headers['X-RateLimit-Remaining']).toBe('9');
    }
  });

  it('exports lines, and no table, whose columns would tell of all events', async () => {
    const { send, secret } = await openTwo(ASKED_EVENTS, IS_VIEW);
    const ask = (accept: string) => {
      const headers = { 'x-api-key': secret, 'content-type': 'application/json', accept };
      return send({ target: '/v1/api/query/export/all', headers, body: '{}' });
    };
    const lines = await ask('application/x-ndjson');
    expect([lines.status, lines.body.split('\n').length - 1]).toEqual([200, 4]);
    const table = await ask('text/csv');
    expect([table.status, table.body]).toEqual([403, expect.stringContaining(' A table takes a key ')]);
  });

  it.each([
    [[], ['query'], 'filterSet: takes filters that leave out some events; null is for all events'],
    [
      [{ allOf: [] }],
      ['query'],
      'filterSet: takes filters that leave out some events; null is for all events',
    ],
    [IS_VIEW, ['query', 'ingest'], 'filterSet: is for a key with the permission query alone'],
    [IS_VIEW, ['ingest'], 'filterSet: is for a key with the permission query alone'],
    [[{ property: 'plan', comparison: 'EQUALS', value: 1 }], ['query'], 'filterSet[0].property: '],
    [[{ property: 'userId', comparison: 'LIKE', value: 1 }], ['query'], 'filterSet[0]'],
  ])('is not made with %j and the permissions %j', async (filterSet, permissions, text) => {
    const { admin, createTenant } = createPlainApi();
    await createTenant('acme');
    const making = admin.createKey('acme', { name: 'some', permissions, filterSet: filterSet as [] });
    await expect(making).rejects.toMatchObject({ status: 400 });
    await expect(making).rejects.toThrow(text);
  });

  it('shows its filters to administrators', async () => {
    const { admin, createTenant } = createPlainApi();
    await createTenant('acme');
    await admin.createKey('acme', { name: 'some', permissions: ['query'], filterSet: IS_VIEW });
    const keys = await admin.listKeys('acme');
    expect(keys.map(({ filterSet }) => filterSet)).toEqual([null, IS_VIEW]);
  });
});
