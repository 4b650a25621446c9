import { generateKeyPairSync } from 'node:crypto';
import { startJwksServer } from '../../support/jwks-server.ts';
import { createTokenSigner } from '../../support/token-signer.ts';
import type { LiveAttack } from './arena.ts';
import { flood, toWords, type Tally } from './flood.ts';

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
