/**
 * The number that a text writes; undefined where it writes none, and where a number would round an integer:
 * two ids of many digits would become equal.
 */
export function exactNumber(text: string): number | undefined {
  const number = Number(text);
  const isRounded = Number.isInteger(number) && !Number.isSafeInteger(number);
  return Number.isFinite(number) && !isRounded ? number : undefined;
}
