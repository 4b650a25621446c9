import { readFileSync } from 'node:fs';
import { InvalidArgumentError, Option, type Command } from 'commander';
import type { RoleRule } from '../../../src/index.ts';
import { parseRole } from '../../../src/internal.ts';
import { ROLES } from '../../../src/internal.ts';
import { messageOf, misuse } from '../process/errors.ts';
import { isOnLoopback } from '../values/urls.ts';
import { parseFile } from '../values/parse.ts';

/** The settings of an identity provider. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly sealingSecret: string | undefined;
  readonly name: string | undefined;
  readonly claim: string | undefined;
  readonly scope: string | undefined;
  readonly roles: readonly RoleRule[];
}

/** The flags as Commander parses them. */
export interface OidcFlags {
  readonly oidcIssuer?: string;
  readonly oidcClientId?: string;
  readonly oidcClientSecretFile?: string;
  readonly oidcKeyFile?: string;
  readonly oidcName?: string;
  readonly oidcClaim?: string;
  readonly oidcScope?: string;
  readonly oidcRole?: readonly RoleRule[];
}

/** The variables that may hold the secrets when no file is given. */
export const OIDC_SECRETS = ['EVENT_QUERY_OIDC_CLIENT_SECRET', 'EVENT_QUERY_OIDC_KEY'];

const SECRET_LENGTH_MIN = 16;
const RULE_PATTERN = /^(.+)=([a-z]+)(?::([a-z0-9_,-]+))?$/;

/** Adds the flags of an identity provider. */
export function addOidcOptions(command: Command): Command {
  const add = (flags: string, about: string, parse?: (text: string, before: never) => unknown) => {
    const option = new Option(flags, about);
    const variable = option.attributeName().replace(/[A-Z]/g, (letter) => `_${letter}`);
    option.env(`EVENT_QUERY_${variable.toUpperCase()}`);
    if (parse !== undefined) option.argParser(parse as (text: string, before: unknown) => unknown);
    command.addOption(option);
  };
  add(
    '--dashboard-url <url>',
    'the URL at which browsers reach the dashboard through a proxy',
    parsePagesUrl,
  );
  add('--oidc-issuer <url>', 'enable dashboard sign-in through this identity provider', parseIssuer);
  add('--oidc-client-id <id>', 'the client id of this server at the provider');
  add('--oidc-client-secret-file <file>', 'the file with the client secret', parseFile);
  add(
    '--oidc-key-file <file>',
    'the file with the secret that encrypts tokens (default: the client secret)',
    parseFile,
  );
  add('--oidc-name <name>', 'the name of the provider on the sign-in page (default: its host)', parseName);
  add(
    '--oidc-claim <name>',
    'the claim whose values map to roles, such as realm_access.roles (default: groups)',
  );
  add('--oidc-scope <scopes>', 'the scopes to request (default: openid profile email offline_access)');
  add(
    '--oidc-role <rule...>',
    'VALUE=admin or VALUE=viewer; add :ALIAS,ALIAS for some tenants only',
    parseRules,
  );
  return command;
}

/** The settings from the flags; undefined when there are none. Throws an Error that names a missing flag. */
export function oidcOf(flags: OidcFlags): OidcSettings | undefined {
  const { oidcIssuer: issuer, oidcClientId: clientId } = flags;
  if (issuer === undefined) {
    const said = Object.keys(flags).find((name) => name.startsWith('oidc'));
    if (said !== undefined) throw misuse('the --oidc flags need --oidc-issuer');
    return undefined;
  }
  if (clientId === undefined) throw misuse('--oidc-issuer needs --oidc-client-id');
  const clientSecret = secretOf('--oidc-client-secret-file', 'CLIENT_SECRET', flags.oidcClientSecretFile);
  if (clientSecret === undefined) throw misuse('--oidc-issuer needs --oidc-client-secret-file');
  const sealingSecret = secretOf('--oidc-key-file', 'KEY', flags.oidcKeyFile);
  const { oidcName: name, oidcClaim: claim, oidcScope: scope, oidcRole: roles = [] } = flags;
  return { issuer, clientId, clientSecret, sealingSecret, name, claim, scope, roles };
}

/** Reads a secret from a file, or from the environment when no file is given. */
function secretOf(flag: string, variable: string, file: string | undefined): string | undefined {
  let text = process.env[`EVENT_QUERY_OIDC_${variable}`];
  try {
    if (file !== undefined) text = readFileSync(file, 'utf8');
  } catch (error) {
    throw misuse(`${flag}: ${messageOf(error)}`);
  }
  const secret = text?.trim();
  if (secret !== undefined && secret.length < SECRET_LENGTH_MIN)
    throw misuse(`${flag}: takes at least ${SECRET_LENGTH_MIN} characters`);
  return secret;
}

/** The most characters of a name that fit on a button. */
const NAME_LENGTH_MAX = 60;

function parseName(text: string): string {
  const name = text.trim();
  if (name === '' || name.length > NAME_LENGTH_MAX)
    throw new InvalidArgumentError(`It takes a name of 1 to ${NAME_LENGTH_MAX} characters.`);
  return name;
}

/** Parses `VALUE=ROLE` or `VALUE=ROLE:ALIAS,ALIAS`; several rules are on separate lines. */
function parseRules(text: string, before: readonly RoleRule[] = []): readonly RoleRule[] {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return [...before, ...lines.map((line) => parseRule(line.trim()))];
}

function parseRule(text: string): RoleRule {
  const [, value, role, aliases] = RULE_PATTERN.exec(text) ?? [];
  if (value === undefined || !ROLES.some((each) => each === role))
    throw new InvalidArgumentError(
      'It takes VALUE=admin or VALUE=viewer, with :ALIAS,ALIAS for some tenants only.',
    );
  return { value, role: parseRole(role), aliases: aliases?.split(',') ?? null };
}

/** Parses the URL below which pages are: an origin, which may have a path. It gets no slash at its end. */
export function parsePagesUrl(text: string): string {
  const { origin, pathname, search, hash } = parseUrl(text);
  if (search !== '' || hash !== '' || !/^[\w.~/-]*$/.test(pathname) || pathname.includes('//'))
    throw new InvalidArgumentError('It takes a URL without a query, whose path has letters and digits.');
  return origin + pathname.replace(/\/$/, '');
}

function parseIssuer(text: string): string {
  parseUrl(text);
  return text;
}

/** Parses an https URL, or an http URL on this machine. */
function parseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url?.protocol === 'http:' && isOnLoopback(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  if (url === undefined || (url.protocol !== 'https:' && !isPlain) || url.username !== '')
    throw new InvalidArgumentError('It takes an https URL, or http on this machine.');
  return url;
}
