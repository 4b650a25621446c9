import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as client from 'openid-client';
import { describe, expect, it, onTestFinished } from 'vitest';
import { oidcProvider } from '../../../adapters/oidc/index.ts';
import { isApiError } from '../../../src/index.ts';
import { stopTime } from '../../support/stopped-time.ts';

const known = { client, clientId: 'dash', clientSecret: 'a secret that only two know' };

describe('the address of an identity provider', () => {
  it.each(['https://id.test/realm', 'http://127.0.0.1:9000', 'http://localhost', 'http://[::1]:9000'])(
    'may be %s',
    (issuer) => {
      expect(oidcProvider({ ...known, issuer }).name).toBe(new URL(issuer).host);
    },
  );

  it.each(['http://id.test', 'http://127.0.0.1.evil.test', 'ftp://localhost', 'https://a@id.test'])(
    'may not be %s',
    (issuer) => {
      expect(() => oidcProvider({ ...known, issuer })).toThrow(/issuer takes an https address/);
    },
  );
});

it('a provider has the name for people that it is given', () => {
  expect(oidcProvider({ ...known, issuer: 'https://id.test', name: 'Example SSO' }).name).toBe('Example SSO');
});

/** A provider that answers only with the URL of its keys, and the paths that it was asked for. */
async function startProvider(jwks?: (issuer: string) => string, more: object = {}) {
  const asked: string[] = [];
  const server = createServer(({ url = '' }, res) => {
    asked.push(url);
    const isKnown = jwks !== undefined && url.startsWith('/.well-known');
    res.writeHead(isKnown ? 200 : 503, { 'Content-Type': 'application/json' });
    res.end(isKnown ? JSON.stringify({ issuer, jwks_uri: jwks(issuer), ...ENDPOINTS, ...more }) : '{}');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, provider: oidcProvider({ ...known, issuer }) };
}

const ENDPOINTS = {
  authorization_endpoint: 'http://localhost/auth',
  token_endpoint: 'http://localhost/token',
};
const LOGIN = { id: 'a', redirectUri: 'http://localhost/sign-in', returnTo: '/', slot: 0, expiresAt: 9 };

/** Calls `ask` twenty times at once, and twenty times again; returns each error and whether it was logged. */
async function askOften(ask: () => Promise<unknown>) {
  const refused = (error: unknown) => (isApiError(error) ? [error.code, error.logged] : error);
  const twenty = () => Promise.all(Array.from({ length: 20 }, () => ask().catch(refused)));
  return [...(await twenty()), ...(await twenty())];
}

it('a provider that never ends its answer, or names another place, is away', async () => {
  stopTime();
  const pieces = Buffer.alloc(1 << 18, ' ');
  let sent = 0;
  const server = createServer(({ url = '' }, res) => {
    if (url.startsWith('/moved')) return void res.writeHead(302, { Location: '/endless' }).end();
    sent += 1;
    res.writeHead(200, { 'Content-Type': 'application/json' });
    const more = () => {
      while (!res.destroyed && res.write(pieces));
    };
    res.on('drain', more);
    more();
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.close().closeAllConnections();
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const refused = (error: unknown) => (isApiError(error) ? error.code : error);
  for (const path of ['', '/moved']) {
    const provider = oidcProvider({ ...known, issuer: `${origin}${path}` });
    expect(await provider.begin(LOGIN).catch(refused)).toBe('unavailable');
  }
  expect(sent).toBe(1);
});

const ONCE = [['unavailable', false], ...Array.from({ length: 39 }, () => ['unavailable', true])];

describe('a provider that is away', () => {
  it('is asked for its metadata once in two seconds, and logged once', async () => {
    const time = stopTime();
    const { asked, provider } = await startProvider();
    expect(await askOften(() => provider.begin(LOGIN))).toEqual(ONCE);
    time.advance(1_999);
    const still = ONCE.map(() => ['unavailable', true]);
    expect(await askOften(() => provider.begin(LOGIN))).toEqual(still);
    expect(asked.length).toBe(1);
    time.advance(1);
    expect(await askOften(() => provider.begin(LOGIN))).toEqual(ONCE);
    expect(asked.length).toBe(2);
  });

  it('is asked for its keys once in that time, however many logout tokens come', async () => {
    stopTime();
    const { asked, provider } = await startProvider((issuer) => `${issuer}/keys`);
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const token = `${part({ alg: 'RS256', kid: 'k' })}.${part({})}.AAAA`;
    expect(await askOften(() => provider.readLogout(token))).toEqual(ONCE);
    expect(asked.filter((path) => path === '/keys').length).toBe(1);
  });

  it('or whose keys come over http from another machine signs no one in', async () => {
    const { provider } = await startProvider(() => 'http://id.test/keys');
    const refusal: unknown = await provider.begin(LOGIN).catch((error: unknown) => error);
    expect(isApiError(refusal) && String(refusal.cause)).toMatch(/its jwks_uri is not https/);
  });
});

describe('a login with another account', () => {
  const keys = (issuer: string) => `${issuer}/keys`;

  it.each([
    [undefined, 'login consent'],
    [['none', 'login', 'consent'], 'login consent'],
    [['none', 'login', 'consent', 'select_account'], 'select_account consent'],
  ])('where the provider names the prompts %j asks for %s', async (prompts, expected) => {
    const { provider } = await startProvider(keys, { prompt_values_supported: prompts });
    const promptOf = async (another?: boolean) => {
      const { url } = await provider.begin(LOGIN, another === undefined ? undefined : { another });
      return new URL(url).searchParams.get('prompt');
    };
    expect(await promptOf(true)).toBe(expected);
    for (const no of [undefined, false]) expect(await promptOf(no)).toBe('consent');
  });
});
