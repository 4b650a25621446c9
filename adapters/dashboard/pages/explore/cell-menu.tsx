import { useEffect, useRef } from 'preact/hooks';
import { seen, written } from '../address/written.ts';
import { hasValue } from './filter/comparisons.ts';
import type { OpenCell } from './open-cell.ts';
import { OnlyNot } from './only-not.tsx';

/** From how many characters on a value may be longer than the menu, so that it scrolls. */
const SCROLLED_LENGTH = 300;

/**
 * The whole value of a cell, and the buttons that filter for it. They stand below it, or above it where there
 * is no room, and Escape closes them.
 */
export function CellMenu({ cell, onClose }: { readonly cell: OpenCell; readonly onClose: () => void }) {
  const menu = useRef<HTMLDivElement>(null);
  const { element, path, value } = cell;
  const text = written(value, Infinity);
  useEffect(() => {
    const { left, top, bottom } = element.getBoundingClientRect();
    const { style, offsetWidth, offsetHeight } = menu.current!;
    const isBelow = bottom + offsetHeight <= innerHeight;
    // The policy for content forbids styles in markup, not those that a script sets.
    style.left = `${Math.max(8, Math.min(left, innerWidth - offsetWidth - 8))}px`;
    style.top = `${isBelow ? bottom : Math.max(8, top - offsetHeight)}px`;
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
      onClick={({ target }) => {
        // The value can be selected, to be copied.
        if (!(target as Element).closest('button')) return;
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
      <p class="cell-value" tabIndex={text.length > SCROLLED_LENGTH ? 0 : undefined}>
        <bdi class="muted">{seen(path)}</bdi> <bdi>{text === '' ? '(empty text)' : text}</bdi>
      </p>
      <OnlyNot
        name={path}
        only={hasValue(path, value, false)}
        not={hasValue(path, value, true)}
        what=" this"
      />
    </div>
  );
}
