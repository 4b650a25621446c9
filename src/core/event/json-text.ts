import { endOfString } from './json-depth.ts';

/** What becomes of the parts of a JSON text; without a function they stay as they are. */
export interface JsonTextChanges {
  /** Is given what stands within the quotes of each string. */
  readonly inStrings?: (text: string) => string;
  /** Is given what stands before, between and behind strings. */
  readonly betweenStrings?: (text: string) => string;
}

/** Changes the strings of a valid JSON text, or what is none, and looks at each character once. */
export function changeJsonText(json: string, { inStrings, betweenStrings }: JsonTextChanges): string {
  let written = '';
  for (let from = 0; from < json.length;) {
    const quote = json.indexOf('"', from);
    const begin = quote === -1 ? json.length : quote;
    const end = endOfString(json, begin);
    const [between, inner] = [json.slice(from, begin), json.slice(begin + 1, end)];
    written += betweenStrings?.(between) ?? between;
    if (begin < json.length) written += `"${inStrings?.(inner) ?? inner}"`;
    from = end + 1;
  }
  return written;
}
