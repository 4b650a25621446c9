import { useEffect, useRef } from 'preact/hooks';
import { hasValue } from './filter/comparisons.ts';
import { OnlyNot } from './only-not.tsx';

/** A value of a row as a filter can name it, and its element. */
export interface OpenCell {
  readonly path: string;
  readonly value: string | number | boolean | null;
  readonly element: HTMLElement;
}

/** The buttons that filter for the value of a cell. They stand below it, and Escape closes them. */
export function CellMenu({ cell, onClose }: { readonly cell: OpenCell; readonly onClose: () => void }) {
  const menu = useRef<HTMLDivElement>(null);
  const { element, path, value } = cell;
  useEffect(() => {
    const { left, bottom } = element.getBoundingClientRect();
    const { style, offsetWidth } = menu.current!;
    // The policy for content forbids styles in markup, not those that a script sets.
    style.left = `${Math.max(8, Math.min(left, innerWidth - offsetWidth - 8))}px`;
    style.top = `${bottom}px`;
    menu.current!.querySelector('button')?.focus();
    const leave = (event: Event) => {
      if (event.type !== 'pointerdown' || !menu.current?.contains(event.target as Node)) onClose();
    };
    addEventListener('pointerdown', leave);
    addEventListener('scroll', leave, { capture: true });
    return () => {
      removeEventListener('pointerdown', leave);
      removeEventListener('scroll', leave, { capture: true });
    };
  }, [element]);
  return (
    <div
      class="cell-menu"
      role="group"
      aria-label={`Filter by ${path}`}
      ref={menu}
      onClick={() => {
        // The row may be gone with the next answer, so the focus goes to the heading of all rows.
        (document.getElementById('rows') ?? element).focus({ preventScroll: true });
        onClose();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        onClose();
        element.focus();
      }}
    >
      <OnlyNot
        name={path}
        only={hasValue(path, value, false)}
        not={hasValue(path, value, true)}
        what=" this"
      />
    </div>
  );
}

/**
 * The element of a value that a click or the Enter key means; undefined if it is none, or if a text is
 * selected.
 */
export function cellElementOf(target: EventTarget | null): HTMLElement | undefined {
  if (getSelection()?.isCollapsed === false) return undefined;
  return (target as Element).closest<HTMLElement>('[data-path]') ?? undefined;
}
