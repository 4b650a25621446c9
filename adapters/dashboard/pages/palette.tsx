import { useMemo, useRef, useState } from 'preact/hooks';
import { Dialog } from './parts/dialog.tsx';
import { Options, useOptionList } from './parts/option-list.tsx';
import { search } from './parts/search.ts';
import { close } from './shortcuts/opened.ts';

/** A place to which the palette leads. */
export interface PaletteEntry {
  readonly kind: 'Page' | 'Tenant';
  /** The text that is searched first. */
  readonly text: string;
  /** A second text that is searched too, such as the name of a tenant. */
  readonly note: string;
  readonly href: string;
}

/** A search over pages and tenants. The arrow keys choose one, and Enter goes there. */
export function Palette({ entries }: { readonly entries: readonly PaletteEntry[] }) {
  const [typed, setTyped] = useState('');
  /** Whether the user goes to another page, whose heading then gets the focus. */
  const isLeaving = useRef(false);
  const found = useMemo(() => search(entries, typed, ({ text, note }) => [text, note]), [entries, typed]);
  const list = useOptionList({
    found,
    isShown: true,
    words: 'pages or tenants',
    isStrict: true,
    take: ({ href }) => {
      isLeaving.current = true;
      close();
      location.hash = href;
    },
  });
  return (
    <Dialog title="Go to" onClose={close} openerGoes={isLeaving}>
      <form class="palette" onSubmit={(event) => event.preventDefault()}>
        <input
          {...list.field}
          autoFocus
          aria-label="Page or tenant"
          placeholder="Page or tenant"
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            list.setActive(0);
          }}
          onKeyDown={list.press}
        />
        <span class="hidden" role="status">
          {list.status}
        </span>
        <Options list={list} keyOf={({ href }) => href}>
          {({ text, note, kind }) => (
            <>
              <bdi>{text}</bdi> <bdi class="muted">{note}</bdi>
              <span class="kind">{kind}</span>
            </>
          )}
        </Options>
        <p class="hint">{list.hint}</p>
      </form>
    </Dialog>
  );
}
