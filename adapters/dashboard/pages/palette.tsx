import { useMemo, useRef, useState } from 'preact/hooks';
import type { ViewAnswer } from '../../../src/admin-api.ts';
import { Dialog } from './parts/dialog.tsx';
import { Options, useOptionList } from './parts/option-list.tsx';
import { search } from './parts/search.ts';
import { linkToUser } from './parts/user-link.tsx';
import { ask } from './server/api.ts';
import { useAnswer } from './server/loading.ts';
import { close } from './shortcuts/opened.ts';
import { placeOfView } from './views/question.ts';

/** The way to a user by the id that was typed. The page of the user says whether there are events of it. */
const userEntry = (alias: string, user: string): PaletteEntry => ({
  kind: 'User',
  text: user,
  note: 'user of this id',
  href: linkToUser(alias, user),
});

/** A place to which the palette leads. */
export interface PaletteEntry {
  readonly kind: 'Page' | 'Tenant' | 'View' | 'User';
  /** The text that is searched first. */
  readonly text: string;
  /** A second text that is searched too, such as the name of a tenant. */
  readonly note: string;
  readonly href: string;
}

interface PaletteProps {
  /** The pages and the tenants. */
  readonly entries: readonly PaletteEntry[];
  /** The tenant whose views and users are found; empty for none. */
  readonly alias: string;
}

/** What else a page is looked for by. */
const ALSO: Readonly<Record<string, string>> = {
  General: 'plan, limits, retention of events, erase events, delete',
  Authentication: 'ingestion, strategy, JWT, tokens, snippets',
  Keys: 'secrets, rotate, revoke',
  Usage: 'bytes, limits, size',
  People: 'invite, sessions, roles',
  Audit: 'log, changes',
  Explorer: 'events, chart, breakdown, export',
};

const textsOf = ({ kind, text, note }: PaletteEntry): readonly string[] =>
  kind === 'Page' ? [text, note, ALSO[text] ?? ''] : [text, note];

/** The saved views of a tenant; none while they are unknown, since all else is found without them. */
function useViews(alias: string): readonly PaletteEntry[] {
  const { value } = useAnswer(
    async (signal) => (alias === '' ? [] : ask<ViewAnswer[]>(`views/${alias}`, undefined, { signal })),
    [alias],
    { isAside: true },
  );
  return useMemo(
    () =>
      (value ?? []).map((view) => ({
        kind: 'View',
        text: view.name,
        note: view.isShared ? `shared by ${view.by}` : 'yours',
        href: placeOfView(alias, view),
      })),
    [value],
  );
}

/** A search over pages, tenants, saved views and users. The arrow keys choose one, and Enter goes there. */
export function Palette({ entries, alias }: PaletteProps) {
  const [typed, setTyped] = useState('');
  const views = useViews(alias);
  /** Whether the user goes to another page, whose heading then gets the focus. */
  const isLeaving = useRef(false);
  const found = useMemo(() => {
    const known = search([...entries, ...views], typed, textsOf);
    const user = typed.trim();
    return user === '' || alias === '' ? known : [...known, userEntry(alias, user)];
  }, [entries, views, typed, alias]);
  const list = useOptionList({
    found,
    isShown: true,
    words: 'pages, tenants or views',
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
          aria-label="Page, tenant, view or user"
          placeholder="Page, tenant, view or user"
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
