/**
 * Which of the found values a typed text takes by Enter, where any text is a value: the one that it says in
 * full, or else the first, as the list marks it; -1 where none is found or nothing is typed.
 */
export function offerFor(
  typed: string,
  found: readonly { readonly value: string }[],
  meaningOf: (text: string) => string,
): number {
  if (typed.trim() === '') return -1;
  const said = [typed.trim(), meaningOf(typed)];
  const exact = found.findIndex(({ value }) => said.includes(value));
  return exact === -1 && found.length > 0 ? 0 : exact;
}
