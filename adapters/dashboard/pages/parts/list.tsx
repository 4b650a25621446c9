import type { ComponentChildren, TableHTMLAttributes } from 'preact';
import { seen } from '../address/written.ts';
import { zoneNow } from '../address/zone.ts';
import { useFirst } from './first.tsx';
import { Icon } from './icon.tsx';
import { Skeleton } from './skeleton.tsx';
import { PageHead, Refusal } from './text.tsx';

/** A table that scrolls on its own if it is wider than the page. */
export function Table({
  label,
  children,
  ...more
}: { readonly label: string; readonly children?: ComponentChildren } & TableHTMLAttributes) {
  return (
    <div class="table" tabIndex={0} role="region" aria-label={label}>
      <table {...more}>{children}</table>
    </div>
  );
}

/** A head of times, with the name of their zone. */
export const inZone = (head: string): string => `${head} (${zoneNow.value})`;

/** A column of a list. */
export interface ListColumn<T> {
  /** The column's head, which a narrow page shows before each cell. */
  readonly head: string;
  /** Whether its cells are times, so that the head names their zone. */
  readonly isTime?: boolean;
  readonly class?: string;
  readonly cell: (row: T) => ComponentChildren;
}

/** An action on a row. */
export interface Act<T> {
  readonly text: string;
  readonly isDangerous?: boolean;
  readonly act: (row: T) => void;
}

interface ListProps<T> {
  readonly label: string;
  readonly rows: readonly T[];
  readonly columns: readonly ListColumn<T>[];
  readonly keyOf: (row: T) => string | number;
  /** The name of a row, for the labels of its actions. */
  readonly nameOf?: (row: T) => string;
  readonly actsOf?: (row: T) => readonly Act<T>[];
  readonly isDim?: (row: T) => boolean;
  /** Whether the user has asked for each part of the rows. If not, the first of them are drawn. */
  readonly isPaged?: boolean;
}

/** A table of rows with their columns and actions. */
export function List<T>({
  label,
  rows,
  columns,
  keyOf,
  nameOf,
  actsOf,
  isDim,
  isPaged = false,
}: ListProps<T>) {
  const first = useFirst(rows, 'rows');
  const shown = isPaged ? rows : first.shown;
  const table = (
    <Table label={label} class="stack">
      <thead>
        <tr>
          {columns.map(({ head, isTime = false, class: kind }) => (
            <th key={head} scope="col" class={kind === 'number' ? kind : undefined}>
              {isTime ? inZone(head) : head}
            </th>
          ))}
          {actsOf !== undefined && (
            <th scope="col">
              <span class="hidden">Actions</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {shown.map((row) => (
          <tr key={keyOf(row)} class={isDim?.(row) === true ? 'dim' : ''}>
            {columns.map(({ head, class: kind, cell }) => (
              <td key={head} data-label={head} class={kind}>
                {cell(row)}
              </td>
            ))}
            {actsOf !== undefined && (
              <td class="right">
                {actsOf(row).map(({ text, isDangerous = false, act }) => (
                  <button
                    key={text}
                    type="button"
                    class={isDangerous ? 'small danger' : 'small'}
                    aria-label={`${text} ${seen(String(nameOf?.(row) ?? keyOf(row)))}`}
                    onClick={() => act(row)}
                  >
                    {text}
                  </button>
                ))}
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </Table>
  );
  return (
    <>
      {table}
      {!isPaged && first.more}
    </>
  );
}

interface ListPageProps<T> extends Omit<ListProps<T>, 'label' | 'rows'> {
  readonly title: string;
  readonly lead: string;
  /** The content next to the title. */
  readonly head: ComponentChildren;
  readonly error?: string | undefined;
  /** Repeats the request after an error. */
  readonly again?: () => void;
  /** The content above the list. */
  readonly notice?: ComponentChildren;
  /** The rows; undefined until they are loaded. */
  readonly rows: readonly T[] | undefined;
  /** The content for an empty list. */
  readonly empty: ComponentChildren;
  /** The content below the list. */
  readonly children?: ComponentChildren;
}

/** The button that begins to add something to a list. */
export function AddButton({ text, onAdd }: { readonly text: string; readonly onAdd: () => void }) {
  return (
    <button type="button" class="primary" onClick={onAdd}>
      <Icon name="plus" /> {text}
    </button>
  );
}

/** A page that shows a list. */
export function ListPage<T>({
  title,
  lead,
  head,
  error,
  again,
  notice,
  rows,
  empty,
  children,
  ...list
}: ListPageProps<T>) {
  return (
    <>
      <PageHead title={title} lead={lead}>
        {head}
      </PageHead>
      {error !== undefined && again !== undefined && <Refusal error={error} again={again} />}
      {notice}
      {rows === undefined && error === undefined && <Skeleton of="rows" />}
      {rows?.length === 0 && empty}
      {rows !== undefined && rows.length > 0 && <List label={title} rows={rows} {...list} />}
      {children}
    </>
  );
}
