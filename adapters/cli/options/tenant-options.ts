import { InvalidArgumentError, Option, type Command } from 'commander';
import type { Tenant, TenantChanges } from '../../../src/index.ts';
import { AUTH_STRATEGIES, parsePlan, PLAN_NAMES } from '../../../src/internal.ts';
import type { IngestionLimits, JwtSettings, PlanChoice } from '../../../src/store-kit.ts';
import { failure, messageOf, misuse } from '../process/errors.ts';
import { parseFile, parseRetentionDays, parseWholeNumber } from '../values/parse.ts';
import { readTextFile } from '../values/text-file.ts';

/** The flags that `tenant create` and `tenant set` share. */
export interface PlanOptions {
  readonly plan?: string;
  readonly perMinute?: number;
  readonly perDay?: number;
  readonly ingestion?: IngestionLimits | 'default' | 'none';
  readonly retentionDays?: number | 'none';
  readonly name?: string;
}

/** The flags of how senders authenticate, which they share as well. */
export interface AuthOptions {
  readonly auth?: Tenant['authStrategy'];
  readonly jwtIssuer?: string;
  readonly jwtAudience?: string;
  readonly jwtPublicKey?: string;
  readonly jwksUrl?: string;
}

/** The flags of `tenant create`. */
export interface TenantFlags extends PlanOptions, AuthOptions {
  readonly ifAbsent?: boolean;
}

/** The flags of `tenant set`. */
export interface SetOptions extends PlanOptions, AuthOptions {
  readonly resetLimits?: boolean;
}

/** Adds the flags that `tenant create` and `tenant set` share. */
export function addPlanOptions(command: Command): Command {
  return command
    .addOption(new Option('--plan <plan>', 'the request limits of its keys').choices(PLAN_NAMES))
    .option(
      '--per-minute <n>',
      'requests a minute of a custom plan; without both limits it is unlimited',
      parseWholeNumber,
    )
    .option('--per-day <n>', 'requests a day of a custom plan', parseWholeNumber)
    .option(
      '--ingestion <limits>',
      'EVENTS,BYTES accepted per minute, none for no limit, or default',
      parseIngestionText,
    )
    .option(
      '--retention-days <n>',
      'permanently erase events older than this; none keeps all',
      (text: string) => (text === 'none' ? text : parseRetentionDays(text)),
    )
    .option('--name <text>', 'a display name');
}

/** Adds the flags of how senders authenticate. */
export function addAuthOptions(command: Command): Command {
  return command
    .addOption(new Option('--auth <strategy>', 'how senders of events authenticate').choices(AUTH_STRATEGIES))
    .option('--jwt-issuer <text>', 'the iss claim of the tokens')
    .option('--jwt-audience <text>', 'the aud claim of the tokens')
    .option('--jwt-public-key <file>', 'a PEM public key or certificate to verify tokens with', parseFile)
    .addOption(new Option('--jwks-url <url>', 'where to fetch the public keys').conflicts('jwtPublicKey'));
}

/** How senders authenticate, from flags. */
export function toAuth(
  options: AuthOptions,
  before: JwtSettings | null,
): Partial<Pick<Tenant, 'authStrategy' | 'jwt'>> {
  const jwt = toJwtSettings(options, before);
  return {
    ...(options.auth === undefined ? {} : { authStrategy: options.auth }),
    ...(jwt === undefined ? {} : { jwt }),
  };
}

/** Parses the format only; the core checks the numbers. */
function parseIngestionText(text: string): IngestionLimits | 'default' | 'none' {
  if (text === 'default' || text === 'none') return text;
  const match = /^(\d{1,15}),(\d{1,15})$/.exec(text);
  if (match === null)
    throw new InvalidArgumentError('It takes default, none, or EVENTS,BYTES: 6000,1048576.');
  return { eventsPerMinute: Number(match[1]), bytesPerMinute: Number(match[2]) };
}

/** The ingestion limits and the retention to set, from flags. */
export function toKept(options: PlanOptions): Partial<Pick<Tenant, 'ingestion' | 'retentionDays'>> {
  const { ingestion, retentionDays } = options;
  return {
    ...(ingestion === undefined ? {} : { ingestion: ingestion === 'none' ? null : ingestion }),
    ...(retentionDays === undefined
      ? {}
      : { retentionDays: retentionDays === 'none' ? null : retentionDays }),
  };
}

/** The plan to set, from flags. */
export function toPlan({ plan = '', perMinute, perDay }: PlanOptions): PlanChoice {
  const asked = perMinute !== undefined || perDay !== undefined;
  if (!asked) return parsePlan(plan);
  if (plan !== 'custom') throw misuse('--per-minute and --per-day need --plan custom');
  if (perMinute === undefined || perDay === undefined)
    throw misuse('--per-minute and --per-day must be given together');
  return parsePlan(plan, { perMinute, perDay });
}

/** The changes of `tenant set`, from flags. */
export function toChanges(options: SetOptions, before: Tenant): TenantChanges {
  const { plan, perMinute, perDay, name } = options;
  const changes = {
    ...(plan !== undefined || perMinute !== undefined || perDay !== undefined ? toPlan(options) : {}),
    ...(name === undefined ? {} : { name }),
    ...toKept(options),
    ...toAuth(options, before.jwt),
  };
  if (Object.keys(changes).length === 0 && options.resetLimits !== true)
    throw misuse('nothing to set; see event-query tenant set --help');
  return changes;
}

/**
 * Merges the given JWT settings over the old ones. A public key replaces a JWKS URL, and the other way round.
 */
function toJwtSettings(options: AuthOptions, before: JwtSettings | null): JwtSettings | undefined {
  const { jwtIssuer, jwtAudience, jwtPublicKey, jwksUrl } = options;
  if ([jwtIssuer, jwtAudience, jwtPublicKey, jwksUrl].every((value) => value === undefined)) return undefined;
  const keys =
    jwtPublicKey !== undefined
      ? { publicKeyPem: readPublicKey(jwtPublicKey) }
      : jwksUrl !== undefined
        ? { jwksUrl }
        : {
            ...(before?.publicKeyPem === undefined ? {} : { publicKeyPem: before.publicKeyPem }),
            ...(before?.jwksUrl === undefined ? {} : { jwksUrl: before.jwksUrl }),
          };
  return {
    issuer: jwtIssuer ?? before?.issuer ?? '',
    audience: jwtAudience ?? before?.audience ?? '',
    ...keys,
  };
}

function readPublicKey(file: string): string {
  try {
    return readTextFile(file);
  } catch (error) {
    throw failure(`--jwt-public-key: ${messageOf(error)}`);
  }
}
