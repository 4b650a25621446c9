import { invalid } from '../base/errors.ts';
import { isStorableText } from '../event/text.ts';

/** How long such a name may be, if nothing else is said. */
export const NAME_LENGTH_MAX = 256;
/**
 * Characters that no name has: they cannot be seen, end a line, or change the direction of the text around a
 * name, so that two names look alike. Selectors of an emoji’s variant are no such characters.
 */
const UNSEEN = /(?![\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu;
/** A character that leaves ink. Marks need another one to stand on. */
const SEEN = /[\p{L}\p{N}\p{P}\p{S}]/u;

/**
 * A name that a person gives to a tenant, a key, a view, a mark or a person, trimmed. Others read it in lists
 * and in the audit log. Throws ApiError (400).
 */
export function parseName(name: unknown, max = NAME_LENGTH_MAX): string {
  const trimmed = typeof name === 'string' ? name.trim() : '';
  if (trimmed === '' || trimmed.length > max) throw invalid('name', `takes 1 to ${max} characters`);
  if (!isStorableText(trimmed)) throw invalid('name', 'must be well-formed Unicode without U+0000');
  const [unseen] = trimmed.match(UNSEEN) ?? [];
  if (unseen !== undefined)
    throw invalid('name', `takes no control characters and no invisible ones, got ${codePointOf(unseen)}`);
  if (!SEEN.test(trimmed)) throw invalid('name', 'takes at least one letter, digit or sign');
  return trimmed;
}

/** A text of others as a name: with blanks for what no name has; undefined if nothing of it can be seen. */
export function toName(text: string): string | undefined {
  // Cut first: that may split a surrogate pair, and a lone surrogate cannot be stored.
  const name = text.slice(0, NAME_LENGTH_MAX).replace(UNSEEN, ' ').trim();
  return SEEN.test(name) ? name : undefined;
}

const codePointOf = (sign: string) => `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
