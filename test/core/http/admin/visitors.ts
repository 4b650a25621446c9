import { createAdminCredentials } from '../../../../src/internal.ts';
import type { AdminCredential, Role } from '../../../../src/store-kit.ts';
import type { PlainAnswer, PlainApi, PlainRequest } from '../../../support/plain-api.ts';
import { documented } from '../../../support/documented.ts';
import { createPlainApi, toPlainAnswer, toRequest } from '../../../support/plain-api.ts';
import { testResources } from '../../../support/resources.ts';
import { recordsIn } from '../../../../src/core/access/records.ts';

/** The host that the pages of the tests come from. */
export const HOST = '127.0.0.1:8787';

/** The headers of a page of the dashboard. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  host: HOST,
  origin: `http://${HOST}`,
  'sec-fetch-site': 'same-origin',
  'x-event-query': 'dashboard',
};

/** Sends a request to the Admin API as it comes, and reads the answer, which has to be documented. */
export async function sendAdmin(api: PlainApi, request: PlainRequest): Promise<PlainAnswer> {
  return documented(request, await toPlainAnswer(await api.adminHandler(toRequest(request))));
}

/** Asks as a page does: a GET without a body, else a POST. */
export type Ask = (path: string, body?: unknown, headers?: Record<string, string>) => Promise<PlainAnswer>;

/** Asks the Admin API with more headers. */
export const asking =
  (api: PlainApi, own: Readonly<Record<string, string>>): Ask =>
  (path, body, headers = {}) =>
    sendAdmin(api, {
      target: `/v1/admin/${path}`,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...PAGE_HEADERS, ...own, 'content-type': 'application/json', ...headers },
      body: body === undefined ? '' : JSON.stringify(body),
    });

/** Signs a page in by a link; how it asks then, and its cookie. */
export async function signIn(
  api: PlainApi,
  role: Role = 'admin',
  tenantIds: AdminCredential['tenantIds'] = null,
): Promise<{ readonly ask: Ask; readonly cookie: string; readonly code: string }> {
  const credentials = createAdminCredentials({
    admins: recordsIn(api.stores.control).admins,
    runtime: runtimeOf(api),
  });
  const by = { who: 'test', from: 'test' };
  const { secret: code } = await credentials.createLink({ name: `a ${role}`, role, tenantIds }, by);
  const { status, headers, body } = await asking(api, {})('sign-in', { code });
  if (status !== 200) throw new Error(body);
  const cookie = headers['Set-Cookie']!.split(';')[0]!;
  return { ask: asking(api, { cookie }), cookie, code };
}

/** Makes a key for programs, and how it asks. */
export async function withKey(
  api: PlainApi,
  role: Role,
  tenantIds: AdminCredential['tenantIds'] = null,
): Promise<{ readonly ask: Ask; readonly secret: string; readonly credential: AdminCredential }> {
  const credentials = createAdminCredentials({
    admins: recordsIn(api.stores.control).admins,
    runtime: runtimeOf(api),
  });
  const issued = await credentials.createKey({ name: 'robot', role, tenantIds }, null, {
    who: 'test',
    from: 'test',
  });
  return { ...issued, ask: asking(api, { authorization: `Bearer ${issued.secret}` }) };
}

/** Makes a session of whatever rights, and how it asks. */
export async function withSession(
  api: PlainApi,
  rights: Pick<AdminCredential, 'role' | 'tenantIds' | 'viewedIds'> &
    Partial<Pick<AdminCredential, 'identity'>>,
): Promise<{ readonly ask: Ask }> {
  const credentials = createAdminCredentials({
    admins: recordsIn(api.stores.control).admins,
    runtime: runtimeOf(api),
  });
  const { secret } = await credentials.createSession(
    { name: 'ada', ...rights },
    { who: 'test', from: 'test' },
  );
  return { ask: asking(api, { cookie: `__Host-event-query-8787=${secret}` }) };
}

/** The runtime of a test's API: chance of its own, and the clock that the test moves. */
function runtimeOf(api: PlainApi) {
  return { ...testResources().runtime, now: () => api.clock.now() };
}

/** An API with the tenant `shop`, whose counts are answered when the test says so: `asked` holds how. */
export async function createWaitingApi() {
  const asked: (() => void)[] = [];
  const api = createPlainApi({
    wrap: (stores) => ({
      ...stores,
      events: { ...stores.events, count: () => new Promise((resolve) => asked.push(() => resolve(5))) },
    }),
  });
  await api.createTenant('shop');
  const areAsked = async (counts: number) => {
    while (asked.length < counts) await new Promise((resolve) => setImmediate(resolve));
  };
  return { api, asked, areAsked };
}
