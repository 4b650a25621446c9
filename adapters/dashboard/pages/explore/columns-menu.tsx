import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { COLUMNS_MAX, FIRST_COLUMNS } from '../address/columns.ts';
import { FIELDS, toPath } from '../address/paths.ts';
import { setColumns } from '../address/question.ts';
import { seen } from '../address/written.ts';
import { Check } from '../parts/field.tsx';
import { figure } from '../parts/figure.ts';
import { SearchField } from '../parts/search-field.tsx';
import { ChosenColumns } from './chosen-columns.tsx';
import type { SeenPaths } from './filter/seen-paths.ts';

/** How many paths the menu lists at once. The others are found by typing. */
const LISTED_MAX = 100;

interface ColumnsMenuProps {
  readonly id: string;
  readonly columns: readonly string[];
  readonly seenPaths: SeenPaths;
}

/** The menu that chooses columns. */
export function ColumnsMenu({ id, columns, seenPaths }: ColumnsMenuProps) {
  const [typed, setTyped] = useState('');
  const search = useRef<HTMLInputElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    search.current?.focus({ preventScroll: true });
    panel.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const { properties } = seenPaths;
  const paths = useMemo(
    () => [...FIELDS.filter((path) => !FIRST_COLUMNS.includes(path)), ...properties.map(({ path }) => path)],
    [properties],
  );
  const text = typed.trim().toLowerCase();
  const found = paths.filter((path) => path.toLowerCase().includes(text));
  const exact = toPath(typed);
  const isMissing = exact !== '' && !paths.includes(exact) && !FIRST_COLUMNS.includes(exact);
  /** The path that Enter adds. */
  const next = isMissing ? (found[0] ?? exact) : exact;
  const add = (path: string) => {
    if (path !== '' && ![...columns, ...FIRST_COLUMNS].includes(path)) setColumns([...columns, path]);
    setTyped('');
    search.current?.focus();
  };
  const toggle = (path: string) =>
    setColumns(columns.includes(path) ? columns.filter((each) => each !== path) : [...columns, path]);
  return (
    // A click between its parts gives it the focus, which would otherwise leave the menu and so close it.
    <div class="column-panel" id={id} ref={panel} role="group" aria-label="Columns" tabIndex={-1}>
      <p class="hint">After time, event and user. “Export CSV” then holds these columns, in this order.</p>
      <ChosenColumns columns={columns} onEmptied={() => search.current?.focus()} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          add(next);
        }}
      >
        <SearchField
          inputRef={search}
          label="Column path"
          placeholder="Search properties"
          value={typed}
          onValue={setTyped}
        />
      </form>
      <ul class="offered">
        {found.slice(0, LISTED_MAX).map((path) => (
          <li key={path}>
            <Check checked={columns.includes(path)} onChange={() => toggle(path)}>
              <bdi>{seen(path)}</bdi>
            </Check>
          </li>
        ))}
      </ul>
      <p class="hint" role="status">
        {found.length > LISTED_MAX &&
          `${LISTED_MAX} of ${figure(found.length)} properties. Type to find others.`}
        {columns.length >= COLUMNS_MAX && `These are ${COLUMNS_MAX} columns, as many as there can be. `}
        {found.length === 0 && 'No event has been seen with such a property.'}
      </p>
      <footer>
        {isMissing && (
          <button type="button" class="small" onClick={() => add(exact)}>
            Add <bdi>{seen(exact)}</bdi>
          </button>
        )}
        {columns.length > 0 && (
          <button
            type="button"
            class="small"
            onClick={() => {
              setColumns([]);
              search.current?.focus();
            }}
          >
            Reset columns
          </button>
        )}
      </footer>
    </div>
  );
}
