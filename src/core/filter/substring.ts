/**
 * The longest part that is left to the engine's own search. V8 looks at the last 250 units of a longer one
 * only when it decides how far to skip, so that some texts of a megabyte take it seconds.
 */
export const BUILT_IN_SEARCH_LENGTH_MAX = 250;

/**
 * Makes a function that says whether a text has `part` as a substring, unit by unit. The time is linear in
 * both lengths whatever they say (Knuth, Morris and Pratt), because both come from outside.
 */
export function compileSubstring(part: string): (text: string) => boolean {
  if (part.length <= BUILT_IN_SEARCH_LENGTH_MAX) return (text) => text.includes(part);
  let borders: Uint32Array | undefined;
  return (text) => {
    if (text.length < part.length) return false;
    borders ??= toBorders(part);
    return search(text, part, borders);
  };
}

/** For each prefix of a part the length of the longest shorter prefix that it also ends with. */
function toBorders(part: string): Uint32Array {
  const borders = new Uint32Array(part.length);
  let length = 0;
  for (let i = 1; i < part.length; i++) {
    const unit = part.charCodeAt(i);
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1]!;
    if (part.charCodeAt(length) === unit) length += 1;
    borders[i] = length;
  }
  return borders;
}

function search(text: string, part: string, borders: Uint32Array): boolean {
  let length = 0;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    while (length > 0 && part.charCodeAt(length) !== unit) length = borders[length - 1]!;
    if (part.charCodeAt(length) === unit) length += 1;
    if (length === part.length) return true;
  }
  return false;
}
