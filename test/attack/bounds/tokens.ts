import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { startJwksServer } from '../../support/jwks-server.ts';
import { createTokenSigner } from '../../support/token-signer.ts';
import type { LiveAttack } from './arena.ts';
import { ATTACKER, flood, toWords, unexpected, type Tally } from './flood.ts';

/** Row 16: key sets that are weak, broken or ambiguous. */
export const keySets: LiveAttack = {
  name: 'key-sets',
  what: 'tokens against key sets with weak, broken and ambiguous keys',
  run: async ({ tenant, server, cli }, { quick }) => {
    const jwks = await startJwksServer();
    const rsa = createTokenSigner('RS256');
    const other = createTokenSigner('RS256');
    const elliptic = createTokenSigner('ES256');
    const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
    const sets: Readonly<Record<string, readonly [keys: object[], expected: string]>> = {
      weak: [[{ ...weak, kid: 'k' }], '401'],
      'exponent 1': [[rsa.jwk({ kid: 'k', e: 'AQ' })], '401'],
      'broken modulus': [[rsa.jwk({ kid: 'k', n: 'AAAA' })], '401'],
      'broken point': [[elliptic.jwk({ kid: 'k', x: 'AAAA' })], '401'],
      'no key at all': [[{ kid: 'k' }], '401'],
      'one kid, the right key second': [[other.jwk({ kid: 'k' }), rsa.jwk({ kid: 'k' })], '200'],
      'a broken key before the right one': [[rsa.jwk({ kid: 'k', n: 'AAAA' }), rsa.jwk({ kid: 'k' })], '200'],
      'keys without kid': [[other.jwk(), rsa.jwk()], '200'],
    };
    const exp = Math.floor(Date.now() / 1000) + 3600;
    const token = await rsa.sign({ iss: 'i', aud: 'a', sub: 'u', exp }, { kid: 'k' });
    const bare = await rsa.sign({ iss: 'i', aud: 'a', sub: 'u', exp });
    const wrong: string[] = [];
    const answers: string[] = [];
    for (const [i, [name, [keys, expected]]] of Object.entries(sets).entries()) {
      jwks.publish(...keys);
      const { alias } = await tenant(`mallory-${i}`);
      const jwt = ['--jwt-issuer', 'i', '--jwt-audience', 'a', '--jwks-url', `${jwks.url}/${i}`];
      await cli('tenant', 'set', alias, '--auth', 'JWT', ...jwt);
      const tally: Tally = await flood(server().origin, {
        connections: 4,
        total: quick ? 20 : 100,
        shot: () => ({
          path: `/v1/events/${alias}/multi`,
          headers: { Authorization: `Bearer ${name === 'keys without kid' ? bare : token}` },
          body: '[{"eventName":"e","userId":"u"}]',
        }),
      });
      answers.push(`${name}: ${toWords(tally)}`);
      const bad = [...tally.statuses.keys()].filter((status) => status !== expected);
      if (bad.length > 0) wrong.push(`${name}: ${toWords(tally)} instead of ${expected}`);
    }
    await jwks.close();
    return { size: `${Object.keys(sets).length} key sets`, answers: answers.join('; '), wrong };
  },
};

/** Row 17: a log that nobody reads. */
export const unreadLog: LiveAttack = {
  name: 'unread-log',
  what: 'requests that are logged while nobody reads the log',
  serveFlags: ['--log-level', 'trace'],
  unread: true,
  run: async ({ tenant, server, cli }, { quick }) => {
    const jwks = await startJwksServer();
    jwks.publish(createTokenSigner('RS256').jwk({ kid: 'k', n: 'AAAA' }));
    const { alias } = await tenant('mallory');
    const jwt = ['--jwt-issuer', 'i', '--jwt-audience', 'a', '--jwks-url', jwks.url];
    await cli('tenant', 'set', alias, '--auth', 'JWT', ...jwt);
    const signer = createTokenSigner('RS256');
    const exp = Math.floor(Date.now() / 1000) + 3600;
    const token = await signer.sign({ iss: 'i', aud: 'a', sub: 'u', exp }, { kid: 'k' });
    const tally = await flood(server().origin, {
      connections: 4,
      total: quick ? 2000 : 200_000,
      seconds: 180,
      shot: () => ({
        path: `/v1/events/${alias}/multi`,
        headers: { Authorization: `Bearer ${token}` },
        body: '[{"eventName":"e","userId":"u"}]',
      }),
    });
    await jwks.close();
    const answered = [...tally.statuses.values()].reduce((sum, times) => sum + times, 0);
    return {
      size: `${answered} requests`,
      answers: toWords(tally),
      wrong: answered < 1000 ? ['the server hangs when nobody reads its log'] : [],
    };
  },
};

/** A token that no key has signed, another each time: to invent one costs its sender nothing. */
function inventToken(exp: number): string {
  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
  const signature = randomBytes(132);
  // Of its two numbers neither is beyond the order of the curve, which would be seen without any work.
  signature[0] = signature[66] = 0;
  const claims = encode({ iss: 'i', aud: 'a', sub: 'u', exp });
  return `${encode({ alg: 'ES512' })}.${claims}.${signature.toString('base64url')}`;
}

/** Tokens without `kid`, each of which four keys may have signed, beside a sender whose body is unzipped. */
export const invented: LiveAttack = {
  name: 'invented-tokens',
  what: '100 connections invent tokens without kid for a tenant with twenty keys, from a hundred addresses',
  run: async ({ tenant, server, cli, cpuSeconds }, { quick }) => {
    const jwks = await startJwksServer();
    jwks.publish(...Array.from({ length: 20 }, () => createTokenSigner('ES512').jwk()));
    const { alias } = await tenant('mallory');
    const jwt = ['--jwt-issuer', 'i', '--jwt-audience', 'a', '--jwks-url', jwks.url];
    await cli('tenant', 'set', alias, '--auth', 'JWT', ...jwt);
    const other = await tenant('unzipped', '--ingestion', 'none');
    const { origin } = server();
    const seconds = quick ? 8 : 30;
    const exp = Math.floor(Date.now() / 1000) + 3600;
    const before = cpuSeconds();
    const tokens = Array.from({ length: 100 }, (_, n) =>
      flood(origin, {
        ...{ connections: 1, total: Infinity, seconds, address: `127.3.0.${n + 1}` },
        shot: () => ({
          path: `/v1/events/${alias}/multi`,
          headers: { Authorization: `Bearer ${inventToken(exp)}` },
          body: '[{"eventName":"e","userId":"u"}]',
        }),
      }),
    );
    const body = gzipSync(`[${Array(1000).fill('{"eventName":"e","userId":"u"}').join(',')}]`);
    const unzipped = await flood(origin, {
      ...{ connections: 1, total: Infinity, seconds, address: ATTACKER },
      shot: () => ({
        path: `/v1/events/${other.alias}/multi`,
        headers: { 'Content-Encoding': 'gzip' },
        body,
      }),
    });
    const statuses = new Map<string, number>();
    for (const [status, times] of (await Promise.all(tokens)).flatMap((tally) => [...tally.statuses]))
      statuses.set(status, (statuses.get(status) ?? 0) + times);
    const used = cpuSeconds() - before;
    await jwks.close();
    const slowest = `the slowest after ${Math.round(unzipped.slowestMs)} ms`;
    return {
      size: `${seconds} s, of which the server worked ${used.toFixed(0)} on its processors`,
      answers: `${toWords({ statuses })}; gzip of another tenant ${toWords(unzipped)}, ${slowest}`,
      wrong: [
        ...unexpected({ statuses, bodies: new Map() }, '401', '503'),
        ...(statuses.has('401') ? [] : ['no token was checked']),
        ...unexpected(unzipped, '200'),
      ],
    };
  },
};
