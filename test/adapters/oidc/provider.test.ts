import * as client from 'openid-client';
import { describe, expect, it } from 'vitest';
import { oidcProvider } from '../../../adapters/oidc/index.ts';

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
      expect(() => oidcProvider({ ...known, issuer })).toThrow(/takes an https address/);
    },
  );
});
