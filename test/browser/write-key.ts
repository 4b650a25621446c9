import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Context } from '../support/chromium.ts';
import type { TestTenant } from '../support/file.ts';
import { fetchAll } from '../support/traffic.ts';
import { runCommand } from './tenants.ts';

/** The tenant that pages send to with a public write key. */
export const WRITTEN = 'written';

interface Places {
  readonly context: Context;
  readonly db: string;
  /** The server itself, and the address at which pages ask it. */
  readonly server: string;
  readonly api: string;
  /** The origin of the pages; the same server answers at another one, `localhost`. */
  readonly site: string;
}

type Check = (what: string, holds: boolean, found: string) => void;

/** How long anything is waited for. */
const PATIENCE_MS = 30_000;

/** Sends in each way that a page has, and gives the status of each answer that the page may read. */
const sendAll = (api: string, key: string, from: string) => `(async () => {
  const url = '${api}/v1/events/${WRITTEN}/multi';
  const body = (name) => JSON.stringify([{ eventName: name + ' from ${from}', userId: 'u' }]);
  const read = (answer) => answer.json().then(({ error }) => answer.status + (error ? ': ' + error : ''));
  const headers = { Authorization: 'Chase ${key}', 'Content-Type': 'application/json' };
  const post = (to, init) => fetch(to, { method: 'POST', ...init }).then(read, () => 'unreadable');
  const byHeader = await post(url, { headers, body: body('header') });
  const byAddress = await post(url + '?writeKey=${key}', { body: body('address'), keepalive: true });
  const json = new Blob([body('json beacon')], { type: 'application/json' });
  const beacons = [
    navigator.sendBeacon(url + '?writeKey=${key}', body('beacon')),
    navigator.sendBeacon(url + '?writeKey=${key}', json),
  ];
  return [byHeader, byAddress, ...beacons];
})()`;

const REFUSED = '403: The write key is not valid for the origin of this request.';
const WAYS = ['header', 'address', 'beacon', 'json beacon'];

/** Sends with a public write key from a page of its origin, from another one, and once it is revoked. */
export async function tryWriteKey(
  { context, db, server, api, site }: Places,
  tenants: Readonly<Record<typeof WRITTEN, TestTenant>>,
  check: Check,
): Promise<void> {
  runCommand(db, 'tenant', 'set', WRITTEN, '--auth', 'SERVER_SIDE');
  const flags = ['--name', 'web', '--permission', 'write', '--origin', site, '--json'];
  const key = JSON.parse(runCommand(db, 'key', 'create', WRITTEN, ...flags)) as {
    id: string;
    secret: string;
  };
  const other = site.replace('127.0.0.1', 'localhost');
  const page = await context.newPage();
  const sendFrom = async (origin: string, from: string) => {
    await page.goto(`${origin}/empty`);
    return page.evaluate<unknown[]>(sendAll(api, key.secret, from));
  };
  const stored = async () =>
    (await fetchAll(server, tenants[WRITTEN])).map(({ eventName }) => eventName).sort();
  // From the other origin first: when the events of its own origin are there, those would be as well.
  const refused = await sendFrom(other, 'another');
  const taken = await sendFrom(site, 'its own');
  const wanted = WAYS.map((way) => `${way} from its own`).sort();
  const endsAt = Date.now() + PATIENCE_MS;
  while (!isDeepStrictEqual(await stored(), wanted) && Date.now() < endsAt) await sleep(100);
  check(
    'write key: every event of a page of its origin is stored, and none of another',
    isDeepStrictEqual(await stored(), wanted),
    (await stored()).join(', '),
  );
  check(
    'write key: the page reads what became of it',
    isDeepStrictEqual(taken, ['200', '200', true, true]),
    taken.join(),
  );
  check(
    'write key: a page of another origin reads why it is refused',
    isDeepStrictEqual(refused, [REFUSED, REFUSED, true, true]),
    refused.join(),
  );
  runCommand(db, 'key', 'revoke', WRITTEN, key.id);
  const late = await sendFrom(site, 'a revoked one');
  check(
    'write key: once it is revoked, the page is refused',
    late[0] === 'unreadable' && late[1] === 'unreadable',
    late.join(),
  );
  check(
    'write key: and nothing more is stored',
    isDeepStrictEqual(await stored(), wanted),
    String((await stored()).length),
  );
  await page.close();
}
