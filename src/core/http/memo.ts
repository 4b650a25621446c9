/** How many texts a memo keeps, and how long one may be: together they bound its memory. */
const TEXTS_MAX = 256;
const TEXT_LENGTH_MAX = 4096;

/**
 * Makes a parser remember what the latest short texts meant: a dashboard asks the same again and again,
 * and to understand a body costs more than to count. `parse` depends on nothing but the text, and what it
 * returns is never changed by anybody. What it throws is not remembered.
 */
export function createMemo<T>(parse: (text: string) => T): (text: string) => T {
  const values = new Map<string, T>();
  return (text) => {
    const known = values.get(text);
    if (known !== undefined) return known;
    const value = parse(text);
    if (text.length > TEXT_LENGTH_MAX) return value;
    if (values.size >= TEXTS_MAX) values.delete(values.keys().next().value!);
    values.set(text, value);
    return value;
  };
}
