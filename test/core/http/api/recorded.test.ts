import { describe, expect, it } from 'vitest';
import type { EventStore, Stores } from '../../../../src/index.ts';
import { newFile, openStores } from '../../../adapters/sqlite/fixtures.ts';
import { createPlainApi } from '../../../support/plain-api.ts';
import { recordedLog } from './recorded-log.ts';
import recorded from './recorded.json' with { type: 'json' };

/**
 * A question and what it answered: as JSON, or as text where writing the JSON again would not give the same
 * bytes; its status, if that is not 200, and the header of the next page, if there was one.
 */
type Recorded = readonly [
  path: string,
  body: object | null,
  answer: unknown,
  more?: { readonly status?: number; readonly cursor?: string },
];

const RECORDED = recorded as unknown as readonly Recorded[];

/*
 * The answers were recorded over HTTP from the engine as it was before bodies had `from` and `until`,
 * `timeZone`, `measures`, a second `by`, `rest` and `orderBy`: a program stored the same log in memory, asked
 * bodies that it drew from the keys and operators of that time, and wrote what came. Each cursor is one that
 * a page before it had answered. Two refusals list keys that came later, and are those of today.
 */
describe.each<[string, (stores: Stores) => EventStore]>([
  ['memory', ({ events }) => events],
  ['SQLite', () => openStores(newFile()).events],
])('a body without newer keys, of %s', (_, open) => {
  it('answers the same bytes as before there were any', async () => {
    const api = createPlainApi({ wrap: (stores) => ({ ...stores, events: open(stores) }) });
    const key = await api.createTenant('acme');
    const { id } = await api.admin.getTenant('acme');
    await api.stores.events.append(id, recordedLog());
    const headers = { 'x-api-key': key, 'content-type': 'application/json' };
    for (const [path, body, answer, { status = 200, cursor } = {}] of RECORDED) {
      const [name = '', parameters] = path.split('?');
      const place = name === 'query' ? 'acme' : `${name}/acme`;
      const target = ['/v1/api/query/', place, ...(parameters === undefined ? [] : ['?', parameters])].join(
        '',
      );
      const method = body === null ? 'GET' : 'POST';
      const found = await api.send({
        method,
        target,
        headers,
        body: body === null ? '' : JSON.stringify(body),
      });
      const text = typeof answer === 'string' ? answer : `${JSON.stringify(answer)}\n`;
      expect([path, body, found.status, found.body, found.headers['X-Next-Cursor']]).toEqual([
        path,
        body,
        status,
        text,
        cursor,
      ]);
    }
  });
});
