import { Command } from 'commander';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { addOidcOptions, oidcOf } from '../../../../adapters/cli/options/oidc-options.ts';

const folder = mkdtempSync(join(tmpdir(), 'event-query-oidc-options-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const secret = join(folder, 'secret');
const short = join(folder, 'short');
writeFileSync(short, 'short');
writeFileSync(secret, ' a secret that only two know \n');

/** Parses a command line. Throws the error of the command. */
function parse(...args: string[]) {
  const command = addOidcOptions(new Command()).exitOverride();
  command.configureOutput({ writeErr: () => undefined });
  return command.parse(args, { from: 'user' }).opts();
}

const FULL = ['--oidc-issuer', 'https://id.test/realm', '--oidc-client-id', 'dash'];
const WITH_SECRET = [...FULL, '--oidc-client-secret-file', secret];

describe('the flags of an identity provider', () => {
  it('name the provider, and the roles that its values give', () => {
    const roles = [
      '--oidc-role',
      'cn=ops,dc=test=admin',
      '--oidc-role',
      'a b=viewer:shop,outlet\n\nc=viewer',
    ];
    expect(oidcOf(parse(...WITH_SECRET, ...roles, '--oidc-claim', 'realm_access.roles'))).toEqual({
      ...{ issuer: 'https://id.test/realm', clientId: 'dash', clientSecret: 'a secret that only two know' },
      ...{ sealingSecret: undefined, name: undefined, claim: 'realm_access.roles', scope: undefined },
      roles: [
        { value: 'cn=ops,dc=test', role: 'admin', aliases: null },
        { value: 'a b', role: 'viewer', aliases: ['shop', 'outlet'] },
        { value: 'c', role: 'viewer', aliases: null },
      ],
    });
    expect(oidcOf(parse())).toBeUndefined();
    expect(oidcOf(parse(...WITH_SECRET))?.roles).toEqual([]);
    expect(oidcOf(parse(...WITH_SECRET, '--oidc-name', ' Example SSO '))?.name).toBe('Example SSO');
  });

  it.each([
    [['--oidc-client-id', 'dash'], /need --oidc-issuer/],
    [['--oidc-issuer', 'https://id.test'], /needs --oidc-client-id/],
    [FULL, /needs --oidc-client-secret-file/],
    [[...FULL, '--oidc-client-secret-file', join(folder, 'none')], /--oidc-client-secret-file: /],
    [[...WITH_SECRET, '--oidc-key-file', short], /--oidc-key-file: takes at least 16/],
  ])('%j is refused', (args, words) => {
    expect(() => oidcOf(parse(...args))).toThrow(words);
  });

  it.each([
    ['--oidc-issuer', 'http://id.test'],
    ['--oidc-name', ' '],
    ['--oidc-name', 'x'.repeat(61)],
    ['--oidc-issuer', 'id.test'],
    ['--oidc-issuer', 'https://ada@id.test'],
    ['--dashboard-url', 'https://a.test/path?x=1'],
    ['--dashboard-url', 'http://a.test'],
    ['--oidc-role', 'admins'],
    ['--oidc-role', 'admins=owner'],
    ['--oidc-role', '=admin'],
    ['--oidc-role', 'admins=admin:SHOP'],
  ])('%s %s is none', (flag, value) => {
    expect(() => parse(flag, value)).toThrow(/It takes/);
  });

  it('the dashboard URL is normalized to an origin', () => {
    expect(parse('--dashboard-url', 'https://A.test:443/').dashboardUrl).toBe('https://a.test');
    expect(parse('--dashboard-url', 'http://localhost:9000').dashboardUrl).toBe('http://localhost:9000');
  });
});
