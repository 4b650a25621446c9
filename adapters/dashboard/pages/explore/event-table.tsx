import { useMemo, useState } from 'preact/hooks';
import type { TargetedKeyboardEvent } from 'preact';
import type { Event } from '../../../../src/index.ts';
import { Table } from '../parts/list.tsx';
import { UserLink } from '../parts/user-link.tsx';
import { CellMenu, cellElementOf, type OpenCell } from './cell-menu.tsx';
import { EventJson } from './event-json.tsx';
import { cut, seen, written } from '../address/written.ts';
import { briefPairs } from './brief-pairs.ts';
import { valueAt } from './value-at.ts';

const CELL_LENGTH = 120;
/** From how many characters on a cell may be cut, so that its title has the text. */
const TITLED_LENGTH = 16;
const TITLE_LENGTH = 2000;
const NO_COLUMNS: readonly string[] = [];
/** How many values of an event a row shows while no columns are chosen. */
const PAIRS_MAX = 8;

/** Events as rows. The pointer or the keyboard opens a row to show its whole event. */
export function EventTable({
  events,
  columns = NO_COLUMNS,
}: {
  readonly events: readonly Event[];
  readonly columns?: readonly string[];
}) {
  const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
  const [cell, setCell] = useState<OpenCell>();
  const toggle = (id: string) => {
    const next = new Set(open);
    if (!next.delete(id)) next.add(id);
    setOpen(next);
  };
  const table = (
    <Table label="Rows of events" class="events" onKeyDown={walk}>
      <thead>
        <tr>
          <th scope="col">Time (UTC)</th>
          <th scope="col">Event</th>
          <th scope="col">User</th>
          {columns.map((column) => (
            <th scope="col" key={column}>
              {shortPath(column)}
            </th>
          ))}
          {columns.length === 0 && <th scope="col">Properties</th>}
        </tr>
      </thead>
      <tbody>
        {events.map((event) => {
          const id = `${event.eventTs} ${event.insertId}`;
          return (
            <Row
              key={id}
              event={event}
              columns={columns}
              isOpen={open.has(id)}
              toggle={() => toggle(id)}
              onCell={setCell}
            />
          );
        })}
      </tbody>
    </Table>
  );
  return (
    <>
      {table}
      {cell !== undefined && <CellMenu cell={cell} onClose={() => setCell(undefined)} />}
    </>
  );
}

interface RowProps {
  readonly event: Event;
  readonly columns: readonly string[];
  readonly isOpen: boolean;
  readonly toggle: () => void;
  readonly onCell: (cell: OpenCell) => void;
}

function Row({ event, columns, isOpen, toggle, onCell }: RowProps) {
  // An event does not change, so its cells are made once.
  const cells = useMemo(() => cellsOf(event, columns), [event, columns]);
  const openCell = (target: EventTarget | null) => {
    const element = cellElementOf(target);
    const path = element?.dataset.path;
    if (element === undefined || path === undefined) return;
    const value = valueAt(event, path);
    if (value === undefined || (typeof value === 'object' && value !== null)) return;
    onCell({ element, path, value: value as OpenCell['value'] });
  };
  const [day, time] = [event.eventTs.slice(0, 10), event.eventTs.slice(11, 23)];
  return (
    <>
      <tr
        class={isOpen ? 'open' : ''}
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
            aria-label={`${day} ${time} ${cut(event.eventName, CELL_LENGTH)}`}
            onClick={toggle}
          >
            <span aria-hidden="true">{isOpen ? '▾' : '▸'}</span> {day} <span class="muted">{time}</span>
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

const cellsOf = (event: Event, columns: readonly string[]) => (
  <>
    <td>
      <bdi class="tag" data-path="eventName" tabIndex={-1} title={titleOf(event.eventName)}>
        {cut(event.eventName, CELL_LENGTH)}
      </bdi>
    </td>
    <td>
      <UserLink user={event.userId}>
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
          <Brief of={event.properties} />
        </div>
      </td>
    )}
  </>
);

/** A path as a column head shows it. Almost all paths begin at the properties, so it leaves that out. */
export function shortPath(path: string): string {
  return seen(path.replace(/^properties\./, ''));
}

/** The first values of an event, each with its path. Top-level values come before those in objects. */
function Brief({ of }: { readonly of: Event['properties'] }) {
  return (
    <>
      {briefPairs(of, PAIRS_MAX).flatMap(([path, value]) => [
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
