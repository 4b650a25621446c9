import { decodeFormValue } from '../event/text.ts';

/**
 * The first value of a field in `application/x-www-form-urlencoded`, which query strings are too. Undefined
 * where the field is absent or its escapes are no UTF-8. It looks for the name as it is, without escapes.
 */
export function fieldOf(form: string, name: string): string | undefined {
  const key = `${name}=`;
  const at = form.startsWith(key) ? 0 : form.indexOf(`&${key}`) + 1;
  if (at === 0 && !form.startsWith(key)) return undefined;
  const from = at + key.length;
  const end = form.indexOf('&', from);
  return decodeFormValue(form.slice(from, end === -1 ? undefined : end));
}
