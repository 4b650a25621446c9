import { afterAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { describeRows } from '../../../../.config/validators.ts';
import { memoryStores } from '../../../../adapters/memory/index.ts';
import { createNodeServer } from '../../../../adapters/node-http/index.ts';
import { createAdmin } from '../../../../src/index.ts';
import { createAdminCredentials, recordsIn } from '../../../../src/internal.ts';
import { strict } from '../../../../src/core/filter/filter-schema.ts';
import type { AdminFunction } from '../../../../src/core/http/admin/admin-operation.ts';
import { createAuthGuard } from '../../../../src/core/http/admin/auth-guard.ts';
import { createAdminDispatch } from '../../../../src/core/http/admin/handler.ts';
import { openApiDocument } from '../../../../src/core/http/openapi.ts';
import type { AdminRow } from '../../../../src/core/http/schemas/admin-route-schema.ts';
import { adminRouteTable } from '../../../readme/tables.ts';
import { testResources } from '../../../support/resources.ts';

const noteRow = {
  name: 'noteTenant',
  path: '/v1/admin/notes/{tenantId}',
  caller: 'admin',
  body: strict({
    text: z.string().min(1).max(10).describe('takes a text of 1 to 10 characters'),
    level: z.enum(['low', 'high']).exactOptional(),
  }),
  takes: '`text`; optional `level`',
  answer: z.object({ note: z.string(), tenant: z.string(), by: z.string() }),
  gives: 'the note',
} as const satisfies AdminRow;

const listRow = {
  name: 'listNotes',
  path: '/v1/admin/notes',
  caller: 'viewer',
  parameters: strict({
    level: z.enum(['low', 'high']).exactOptional(),
    size: z.int().min(1).max(5).describe('takes a whole number from 1 to 5').exactOptional(),
  }),
  takes: 'none; `?size=N`',
  answer: z.array(z.string()),
  gives: 'array of notes',
} as const satisfies AdminRow;

const noteTenant: AdminFunction<typeof noteRow> = ({ body: { text, level = 'low' }, tenant, by }) => ({
  ...{ note: `${level}: ${text}`, tenant: tenant.alias, by: by.who },
});
const listNotes: AdminFunction<typeof listRow> = ({ parameters: { size = 1, level = 'low' } }) =>
  Array.from({ length: size }, () => level);

const rows = describeRows([noteRow, listRow]);

/** Serves the two routes over a socket, as those of the Admin API are served. */
async function serve() {
  const resources = testResources();
  const { runtime } = resources;
  const stores = memoryStores({ resources });
  const { tenants, admins } = recordsIn(stores.control);
  const credentials = createAdminCredentials({ admins, runtime });
  const admin = createAdmin({ stores, runtime });
  const { id } = await admin.createTenant({ alias: 'shop', plan: 'free' });
  await admin.createTenant({ alias: 'other', plan: 'free' });
  const guard = createAuthGuard({ credentials, tenants, keep: (s) => Promise.resolve(s), origin: undefined });
  const options = { ...resources, accessLog: false, slowMs: undefined, guard, limits: stores.limits };
  const handler = createAdminDispatch(options, { ...rows, functions: { noteTenant, listNotes } });
  const server = createNodeServer({ api: { resources, handler } });
  const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
  const keyOf = async (role: 'admin' | 'viewer') => {
    const holder = { name: `a ${role}`, role, tenantIds: [id] };
    return (await credentials.createKey(holder, null, { who: 'test', from: 'test' })).secret;
  };
  return {
    server,
    origin: `http://127.0.0.1:${port}`,
    admin: await keyOf('admin'),
    viewer: await keyOf('viewer'),
  };
}

const served = await serve();
afterAll(() => served.server.close());

async function ask(path: string, { key = served.admin, body }: { key?: string; body?: unknown } = {}) {
  const response = await fetch(`${served.origin}/v1/admin/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, answer: await response.json() };
}

describe('a route of the Admin API that is one row and one function', () => {
  it('is served', async () => {
    expect(await ask('notes/shop', { body: { text: 'hello' } })).toEqual({
      status: 200,
      answer: { note: 'low: hello', tenant: 'shop', by: 'a admin' },
    });
    expect(await ask('notes?size=2&level=high')).toEqual({ status: 200, answer: ['high', 'high'] });
  });

  it.each<[unknown, string]>([
    [{}, 'text: takes a text of 1 to 10 characters, got nothing'],
    [{ text: 'much too long' }, 'text: takes a text of 1 to 10 characters, got the string "much too long"'],
    [{ text: 'a', level: 'middle' }, 'level: use one of low, high, got the string "middle"'],
    [{ text: 'a', more: 1 }, 'body: unknown field "more"; use one of text, level'],
    [[], 'body: takes an object, got an empty array'],
  ])('refuses the body %j', async (body, error) => {
    expect(await ask('notes/shop', { body })).toEqual({ status: 400, answer: { error } });
  });

  it.each([
    ['size=6', 'size: takes a whole number from 1 to 5, got the number 6'],
    ['size=', 'size: takes a whole number from 1 to 5, got the number NaN'],
    ['level=middle', 'level: use one of low, high, got the string "middle"'],
    ['page=1', 'query string: takes level, size, each once, got "page=1"'],
    ['size=1&size=2', 'query string: takes level, size, each once, got "size=2"'],
  ])('refuses the parameters %s', async (parameters, error) => {
    expect(await ask(`notes?${parameters}`)).toEqual({ status: 400, answer: { error } });
  });

  it('is closed to who may not ask, and to other methods', async () => {
    const body = { text: 'a' };
    expect((await ask('notes/shop', { body, key: 'eqa_none' })).status).toBe(401);
    expect((await ask('notes/shop', { body, key: served.viewer })).status).toBe(403);
    expect((await ask('notes/other', { body })).status).toBe(404);
    expect((await ask('notes/shop')).status).toBe(405);
    expect((await ask('notes', { key: served.viewer })).status).toBe(200);
  });

  it('is described in the OpenAPI document and in the table of the page', () => {
    const { paths, components } = openApiDocument([], rows) as {
      paths: Record<string, unknown>;
      components: { schemas: Record<string, unknown> };
    };
    expect(paths['/v1/admin/notes/{tenantId}']).toMatchObject({
      post: {
        operationId: 'admin.noteTenant',
        requestBody: {
          content: { 'application/json': { schema: { $ref: '#/components/schemas/NoteTenantBody' } } },
        },
        responses: {
          200: {
            content: { 'application/json': { schema: { $ref: '#/components/schemas/NoteTenantAnswer' } } },
          },
        },
      },
    });
    expect(components.schemas.NoteTenantBody).toMatchObject({ required: ['text'] });
    expect(paths['/v1/admin/notes']).toMatchObject({
      get: { parameters: [{ name: 'level' }, { name: 'size', schema: { type: 'integer', maximum: 5 } }] },
    });
    expect(adminRouteTable(rows.routes)).toContain(
      '| POST | `/v1/admin/notes/{tenantId}` | admin | `text`; optional `level` | the note |',
    );
  });
});
