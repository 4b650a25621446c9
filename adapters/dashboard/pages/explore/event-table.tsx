import { useEffect, useMemo, useState } from 'preact/hooks';
import type { TargetedKeyboardEvent } from 'preact';
import type { Event } from '../../../../src/index.ts';
import { Table } from '../parts/list.tsx';
import { UserLink } from '../parts/user-link.tsx';
import { setRanking, type RankedBy } from '../address/question.ts';
import { zoneNow } from '../address/zone.ts';
import { textIn } from '../time/zone.ts';
import { lazy, Loaded } from '../parts/lazy.tsx';
import { cellElementOf, type OpenCell } from './open-cell.ts';
import { EventJson } from './event-json.tsx';
import { keepOpenRows, openRows } from '../address/trail.ts';
import { cut, seen, written } from '../address/written.ts';
import { isReadingRow } from './reading.ts';
import { rowPairs, rowPaths } from './row-paths.ts';
import { valueAt } from './value-at.ts';

const CELL_LENGTH = 120;
/** The length of an instant with its milliseconds. */
const INSTANT_LENGTH = 23;
/** From how many characters on a cell may be cut, so that its title has the text. */
const TITLED_LENGTH = 16;
const TITLE_LENGTH = 2000;
const NO_COLUMNS: readonly string[] = [];
/** How many values of an event a row shows while no columns are chosen. */
const PAIRS_MAX = 8;

/** The menu of a value. It loads when it is first opened, since many people only read. */
const CELL_MENU = lazy(async () => (await import('./cell-menu.tsx')).CellMenu);

/** What tells an event from all others. */
const idOf = ({ eventTs, insertId }: Event) => `${eventTs} ${insertId}`;

/** Events of one day, with a heading above them. */
interface EventDay {
  readonly name: string;
  readonly note: string;
  readonly events: readonly Event[];
}

interface EventTableProps {
  readonly events: readonly Event[];
  readonly columns?: readonly string[];
  /** The events by days, whose headings then say the day that rows leave out. */
  readonly days?: readonly EventDay[];
  /** The instant whose events are marked. */
  readonly marked?: number | undefined;
  /** How rows can be in the order of a column; absent if they cannot. */
  readonly sorting?: RowSorting;
}

/** How rows can be in the order of the numbers of a column. */
export interface RowSorting {
  /** The order that rows have; undefined if they come newest first. */
  readonly ranking: RankedBy | undefined;
  /** Whether events have numbers at a path. */
  readonly canRank: (path: string) => boolean;
}

/** Events as rows. The pointer or the keyboard opens a row to show its whole event. */
export function EventTable({ events, columns = NO_COLUMNS, days, marked, sorting }: EventTableProps) {
  const [open, setOpen] = useState(openRows);
  const [cell, setCell] = useState<OpenCell>();
  const isReading = events.some((event) => open.has(idOf(event)));
  useEffect(() => {
    isReadingRow.value = isReading;
    return () => void (isReadingRow.value = false);
  }, [isReading]);
  const paths = useRowPaths(events, columns.length === 0);
  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
    keepOpenRows(next);
  };
  const rowsOf = (some: readonly Event[]) =>
    some.map((event) => {
      const id = idOf(event);
      return (
        <Row
          key={id}
          event={event}
          columns={columns}
          paths={paths}
          isOfDay={days !== undefined}
          isOpen={open.has(id)}
          isMarked={Date.parse(event.eventTs) === marked}
          toggle={() => toggle(id)}
          onCell={setCell}
        />
      );
    });
  const table = (
    <Table label="Rows of events" class="events" onKeyDown={walk}>
      <thead>
        <tr>
          <th scope="col">Time ({zoneNow.value})</th>
          <th scope="col">Event</th>
          <th scope="col">User</th>
          {columns.map((column) => (
            <ColumnHead key={column} path={column} sorting={sorting} />
          ))}
          {columns.length === 0 && <th scope="col">Properties</th>}
        </tr>
      </thead>
      {days === undefined ? (
        <tbody>{rowsOf(events)}</tbody>
      ) : (
        days.map(({ name, note, events: own }) => (
          <tbody key={idOf(own[0]!)}>
            <tr class="day">
              <th scope="rowgroup" colSpan={4}>
                {name} {note !== '' && <span class="muted">{note}</span>}
              </th>
            </tr>
            {rowsOf(own)}
          </tbody>
        ))
      )}
    </Table>
  );
  return (
    <>
      {table}
      {cell !== undefined && (
        <Loaded of={CELL_MENU} props={{ cell, onClose: () => setCell(undefined) }} isDialog />
      )}
    </>
  );
}

/** The head of a column. One of numbers is a button: the largest, the smallest or the newest come first. */
function ColumnHead({ path, sorting }: { readonly path: string; readonly sorting: RowSorting | undefined }) {
  const { ranking } = sorting ?? {};
  const order = ranking?.of === path ? (ranking.order ?? 'largest') : undefined;
  if (sorting?.canRank(path) !== true && order === undefined) return <th scope="col">{shortPath(path)}</th>;
  const next = order === undefined ? 'largest' : order === 'largest' ? 'smallest' : undefined;
  const sort = order === undefined ? 'none' : order === 'largest' ? 'descending' : 'ascending';
  return (
    <th scope="col" aria-sort={sort}>
      <button
        type="button"
        class="as-text"
        title={`Show the ${next ?? 'newest'} first`}
        onClick={() => setRanking(next === undefined ? '' : path, next ?? 'largest')}
      >
        {shortPath(path)}
      </button>
    </th>
  );
}

/** The places of paths among those that rows show; the same object as long as the order is the same. */
function useRowPaths(events: readonly Event[], areShown: boolean): ReadonlyMap<string, number> {
  const paths = useMemo(() => (areShown ? rowPaths(events) : []), [events, areShown]);
  return useMemo(() => new Map(paths.map((path, i) => [path, i])), [JSON.stringify(paths)]);
}

interface RowProps {
  readonly event: Event;
  /** The place of each path among those that rows show. */
  readonly paths: ReadonlyMap<string, number>;
  readonly columns: readonly string[];
  /** Whether the day stands above it. */
  readonly isOfDay: boolean;
  readonly isOpen: boolean;
  readonly isMarked: boolean;
  readonly toggle: () => void;
  readonly onCell: (cell: OpenCell) => void;
}

function Row({ event, columns, paths, isOfDay, isOpen, isMarked, toggle, onCell }: RowProps) {
  // An event does not change, so its cells are made once.
  const cells = useMemo(() => cellsOf(event, columns, paths), [event, columns, paths]);
  const openCell = (target: EventTarget | null) => {
    const element = cellElementOf(target);
    const path = element?.dataset.path;
    if (element === undefined || path === undefined) return;
    const value = valueAt(event, path);
    if (value === undefined || (typeof value === 'object' && value !== null)) return;
    onCell({ element, path, value: value as OpenCell['value'] });
  };
  const [day, time] = textIn(zoneNow.value, Date.parse(event.eventTs), INSTANT_LENGTH).split(' ');
  return (
    <>
      <tr
        class={isOpen ? 'open' : ''}
        aria-current={isMarked ? 'true' : undefined}
        onClick={({ target }) => openCell(target)}
        onKeyDown={({ key, target }) => {
          if (key === 'Enter') openCell(target);
        }}
      >
        <td>
          <button
            type="button"
            class="opener"
            aria-expanded={isOpen}
            title={`${event.eventTs} (UTC)`}
            aria-label={`${day} ${time} ${cut(event.eventName, CELL_LENGTH)}`}
            onClick={toggle}
          >
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span>{' '}
            {isOfDay ? time : [day, ' ', <span class="muted">{time}</span>]}
          </button>
        </td>
        {cells}
      </tr>
      {isOpen && (
        <tr class="whole">
          <td colSpan={4 + Math.max(columns.length - 1, 0)}>
            <EventJson event={event} />
          </td>
        </tr>
      )}
    </>
  );
}

const cellsOf = (event: Event, columns: readonly string[], paths: RowProps['paths']) => (
  <>
    <td>
      <bdi class="tag" data-path="eventName" tabIndex={-1} title={titleOf(event.eventName)}>
        {cut(event.eventName, CELL_LENGTH)}
      </bdi>
    </td>
    <td>
      <UserLink user={event.userId} question={{ at: event.eventTs }}>
        <bdi title={titleOf(event.userId)}>{cut(event.userId, CELL_LENGTH)}</bdi>
      </UserLink>
    </td>
    {columns.map((column) => {
      const text = textAt(event, column);
      return (
        <td key={column} data-label={shortPath(column)}>
          <bdi data-path={column} tabIndex={-1} title={titleOf(text)}>
            {cut(text, CELL_LENGTH)}
          </bdi>
        </td>
      );
    })}
    {columns.length === 0 && (
      <td class="brief">
        <div>
          <Brief of={event} paths={paths} />
        </div>
      </td>
    )}
  </>
);

/** A path as a column head shows it. Almost all paths begin at the properties, so it leaves that out. */
export function shortPath(path: string): string {
  return seen(path.replace(/^properties\./, ''));
}

/** Some values of an event, each with its path: first those that tell it from the other rows. */
function Brief({ of, paths }: { readonly of: Event } & Pick<RowProps, 'paths'>) {
  return (
    <>
      {rowPairs(of, paths, PAIRS_MAX).flatMap(([path, value]) => [
        <bdi class="muted">{`${cut(shortPath(path), CELL_LENGTH)} `}</bdi>,
        <bdi data-path={path} tabIndex={-1}>{`${cut(written(value), CELL_LENGTH)} `}</bdi>,
      ])}
    </>
  );
}

/** The title of a cell whose text may be cut. By keyboard, Enter on the cell shows the text. */
function titleOf(text: string): string | undefined {
  return text.length < TITLED_LENGTH ? undefined : seen(text.slice(0, TITLE_LENGTH));
}

/** The value of an event at a path, as text; empty if it has none. */
function textAt(event: Event, path: string): string {
  const value = valueAt(event, path);
  if (value === undefined) return '';
  return typeof value === 'string' && !path.startsWith('properties') ? value : written(value);
}

/** Moves the focus from row to row, and within a row from value to value, with the arrow keys. */
function walk(event: TargetedKeyboardEvent<HTMLTableElement>): void {
  if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') return walkCells(event);
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const openers = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('button.opener')];
  const at = openers.indexOf(document.activeElement as HTMLButtonElement);
  if (at === -1) return;
  event.preventDefault();
  openers[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus();
}

function walkCells(event: TargetedKeyboardEvent<HTMLTableElement>): void {
  const focused = document.activeElement;
  const row = focused?.closest('tr:not(.whole)');
  if (!row || !focused?.matches('button.opener, [data-path]')) return;
  const stops = [...row.querySelectorAll<HTMLElement>('button.opener, [data-path]')];
  event.preventDefault();
  stops[stops.indexOf(focused as HTMLElement) + (event.key === 'ArrowRight' ? 1 : -1)]?.focus();
}
