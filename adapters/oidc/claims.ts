/** What a provider says of somebody, as a token or an answer holds it. */
export type Claims = Readonly<Record<string, unknown>>;

const NAME_LENGTH_MAX = 256;
const NAME_CLAIMS = ['preferred_username', 'email', 'name'];

/**
 * The values of a claim: a text, or the texts of an array. It is found by its whole name, which may be an
 * address, else by the names between its dots. Undefined where there is none.
 */
export function valuesOf(claims: Claims | undefined, claim: string): readonly string[] | undefined {
  const found = own(claims, claim) ?? claim.split('.').reduce<unknown>(own, claims);
  if (typeof found === 'string') return [found];
  if (!Array.isArray(found)) return undefined;
  return found.filter((value) => typeof value === 'string');
}

/** What people call somebody; undefined where nothing that is said can be shown. */
export function nameOf(claims: Claims | undefined): string | undefined {
  // An address that nobody has verified may be somebody else's.
  const isVerified = own(claims, 'email_verified') === true;
  const known = NAME_CLAIMS.filter((claim) => claim !== 'email' || isVerified);
  const names = known.map((claim) => own(claims, claim));
  const name = names.find((each): each is string => typeof each === 'string' && /[^\p{C}\p{Z}]/u.test(each));
  // It is cut first: a cut may halve a character, and no database keeps the half of one.
  return name?.slice(0, NAME_LENGTH_MAX).replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ');
}

function own(value: unknown, name: string): unknown {
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? (value as Claims)[name] : undefined;
}
