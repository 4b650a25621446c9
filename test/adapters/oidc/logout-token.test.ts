import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWTPayload } from 'jose';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLogoutReader } from '../../../adapters/oidc/logout-token.ts';

const ISSUER = 'https://login.example';
const EVENTS = { 'http://schemas.openid.net/event/backchannel-logout': {} };
const NOW = Math.floor(Date.now() / 1000);
const CLAIMS: JWTPayload = {
  iss: ISSUER,
  aud: 'event-query',
  iat: NOW,
  jti: 'logout-1',
  sub: 'ada',
  sid: 'session-1',
  events: EVENTS,
};

let server: Server;
let key: CryptoKey;
let read: ReturnType<typeof createLogoutReader>;

beforeAll(async () => {
  const pair = await generateKeyPair('ES256');
  key = pair.privateKey;
  const keys = JSON.stringify({ keys: [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }] });
  server = createServer((_req, res) => res.setHeader('content-type', 'application/json').end(keys));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const jwksUri = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`;
  read = createLogoutReader({
    ...{ issuer: ISSUER, clientId: 'event-query', jwksUri, timeoutMs: 30_000, toleranceSeconds: 5 },
  });
});
afterAll(() => server.close());

const sign = (claims: JWTPayload, typ = 'logout+jwt', by: CryptoKey = key) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'ES256', kid: 'k', typ }).sign(by);
const without = (name: keyof typeof CLAIMS) =>
  Object.fromEntries(Object.entries(CLAIMS).filter(([claim]) => claim !== name));

describe('a logout token', () => {
  it('says whose session ended, which, and until when its id counts as used', async () => {
    expect(await read(await sign(CLAIMS))).toEqual({
      issuer: ISSUER,
      id: 'logout-1',
      subject: 'ada',
      providerSession: 'session-1',
      at: (NOW + 6) * 1000,
      until: (NOW + 306) * 1000,
    });
  });

  it('may name the user alone, or the session alone', async () => {
    expect(await read(await sign(without('sid')))).toMatchObject({ subject: 'ada' });
    expect(await read(await sign(without('sub')))).toMatchObject({ providerSession: 'session-1' });
  });

  it.each<[string, JWTPayload, string?]>([
    ['is an ID token: it has a nonce', { ...CLAIMS, nonce: 'n' }],
    ['names no logout event', { ...CLAIMS, events: { other: {} } }],
    ['has no events', without('events')],
    ['has no id', without('jti')],
    ...[1, {}, ['logout-1'], true, null, '', 'a\u0000'].map((jti): [string, JWTPayload] => [
      `has the id ${JSON.stringify(jti)}`,
      { ...CLAIMS, jti } as unknown as JWTPayload,
    ]),
    ['names a user that is no text', { ...without('sid'), sub: 5 } as unknown as JWTPayload],
    ['names a session that is no text', { ...without('sub'), sid: ['session-1'] }],
    [
      'names neither user nor session',
      { iss: ISSUER, aud: 'event-query', iat: NOW, jti: 'x', events: EVENTS },
    ],
    ['is of another issuer', { ...CLAIMS, iss: 'https://other.example' }],
    ['is for another client', { ...CLAIMS, aud: 'other' }],
    ['is too old', { ...CLAIMS, iat: NOW - 400 }],
    ['is of another type', CLAIMS, 'at+jwt'],
  ])('is refused if it %s', async (_why, claims, typ) => {
    const error = await read(await sign(claims, typ)).catch((error: unknown) => error);
    expect(error).toMatchObject({ status: 400, message: expect.stringContaining('logout_token') as string });
  });

  it('is refused if another key signed it', async () => {
    const { privateKey } = await generateKeyPair('ES256');
    await expect(read(await sign(CLAIMS, 'logout+jwt', privateKey))).rejects.toMatchObject({ status: 400 });
  });
});
