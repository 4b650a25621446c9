import { toName } from '../../src/store-kit.ts';

/** The claims of a provider about a user, from an ID token or from its userinfo endpoint. */
export type Claims = Readonly<Record<string, unknown>>;

/** A subject or a session id that can be stored and compared. */
export const TEXT_PATTERN = /^[ -~]{1,255}$/;
const NAME_CLAIMS = ['preferred_username', 'email', 'name'];

/**
 * The values of a claim: a string, or the strings of an array. The claim is looked up by its whole name,
 * which may be a URL, else by the path between its dots. Undefined when there is none.
 */
export function valuesOf(claims: Claims | undefined, claim: string): readonly string[] | undefined {
  const found = own(claims, claim) ?? claim.split('.').reduce<unknown>(own, claims);
  if (typeof found === 'string') return [found];
  if (!Array.isArray(found)) return undefined;
  return found.filter((value) => typeof value === 'string');
}

/** The display name of a user; undefined when no claim can be shown. */
export function nameOf(claims: Claims | undefined): string | undefined {
  // An unverified email address may belong to someone else.
  const isVerified = own(claims, 'email_verified') === true;
  const known = NAME_CLAIMS.filter((claim) => claim !== 'email' || isVerified);
  const texts = known.map((claim) => own(claims, claim)).filter((each) => typeof each === 'string');
  return texts.map(toName).find((name) => name !== undefined);
}

function own(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Claims)[name] : undefined;
}
