/** Where what a sticky pattern matches at `from` ends; `from` itself if it does not match. */
export function endOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex : from;
}
