/** A value of a row as a filter can name it, and its element. */
export interface OpenCell {
  readonly path: string;
  readonly value: string | number | boolean | null;
  readonly element: HTMLElement;
}

/**
 * The element of a value that a click or the Enter key means; undefined if it is none, or if a text is
 * selected.
 */
export function cellElementOf(target: EventTarget | null): HTMLElement | undefined {
  if (getSelection()?.isCollapsed === false) return undefined;
  return (target as Element).closest<HTMLElement>('[data-path]') ?? undefined;
}
