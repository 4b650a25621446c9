import { useId, useRef, useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { figure } from '../parts/figure.ts';
import { close } from '../shortcuts/opened.ts';
import { findEntries, type PaletteEntry } from './search.ts';

const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

/** A search over pages and tenants. The arrow keys choose one, and Enter goes there. */
export function Palette({ entries }: { readonly entries: readonly PaletteEntry[] }) {
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const id = useId();
  const list = useRef<HTMLUListElement>(null);
  /** Whether the user goes to another page, whose heading then gets the focus. */
  const isLeaving = useRef(false);
  const { found, total } = findEntries(entries, typed);
  const choose = (entry: PaletteEntry | undefined) => {
    if (entry === undefined) return;
    isLeaving.current = true;
    close();
    location.hash = entry.href;
  };
  const turn = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined || found.length === 0) return;
    event.preventDefault();
    const next = (at + step + found.length) % found.length;
    setAt(next);
    list.current?.children[next]?.scrollIntoView({ block: 'nearest' });
  };
  return (
    <Dialog title="Go to" onClose={close} openerGoes={isLeaving}>
      <form
        class="palette"
        onSubmit={(event) => {
          event.preventDefault();
          choose(found[at]);
        }}
      >
        <input
          role="combobox"
          autoFocus
          autocomplete="off"
          spellcheck={false}
          aria-label="Page or tenant"
          aria-autocomplete="list"
          aria-expanded={found.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={found.length > 0 ? `${id}-${at}` : undefined}
          placeholder="Page or tenant"
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setAt(0);
          }}
          onKeyDown={turn}
        />
        <ul
          id={`${id}-list`}
          role="listbox"
          aria-label="Pages and tenants"
          ref={list}
          hidden={found.length === 0}
        >
          {found.map((entry, i) => (
            // The field keeps the focus, so the options need no keys of their own.
            <li
              key={entry.href}
              id={`${id}-${i}`}
              role="option"
              aria-selected={i === at}
              onMouseMove={() => setAt(i)}
              onClick={() => choose(entry)}
            >
              <bdi>{entry.text}</bdi> <bdi class="muted">{entry.note}</bdi>
              <span class="kind">{entry.kind}</span>
            </li>
          ))}
        </ul>
        <p class="hint" role="status">
          {found.length === 0
            ? 'Nothing matches.'
            : total > found.length
              ? `${figure(found.length)} of ${figure(total)}. Type more to narrow them.`
              : ''}
        </p>
      </form>
    </Dialog>
  );
}
