import { reserveOrThrow, type Reservation, type MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import { toEventView, type EventView } from '../../filter/predicate.ts';
import type { EventStore } from '../../query/event-store.ts';
import type { Signal } from '../../base/signal.ts';
import { eventsOf } from '../../query/stored-page.ts';
import type { EventQuery } from '../../query/event-query.ts';
import {
  toMeasuring,
  type Breakdown,
  type Grouping,
  type MeasuredGrouping,
  type Told,
  type Whole,
} from '../../query/grouping.ts';
import { toBreakdown, withoutRest, type OrderFigure } from '../../query/group-table.ts';
import type { MeasuredNumbers } from '../../query/measures.ts';
import { createDictionary, encode } from '../../columns/column/dictionary.ts';
import type { KeyedHash } from '../../base/keyed-hash.ts';
import { isScalar } from '../../columns/groups/distinct.ts';
import { createDimensionTally, valueAt } from './dimension-pages.ts';
import { createPathTally } from './measured-pages.ts';

/** The memory that a cell takes, and each distinct value in it. */
const MEETING_BYTES = 48;

interface PagesTools {
  readonly hash: KeyedHash;
  readonly memory: MemoryBudget;
  /** Gives time slices to what is computed once all pages are read. */
  readonly scheduler: Scheduler;
}

/**
 * Groups the events of a store that can only answer pages, by reading every matching event. An event that
 * arrives meanwhile is counted if its place is after the page that is being read.
 */
export async function breakDownByPages(
  store: Pick<EventStore, 'query'>,
  asked: {
    readonly tenantId: string;
    readonly query: EventQuery;
    readonly grouping: Grouping | MeasuredGrouping;
  },
  { hash, memory, scheduler }: PagesTools,
  signal?: Signal,
): Promise<Breakdown | Whole> {
  const reservation = memory.reservation(asked.tenantId);
  try {
    const tally = createTally(toMeasuring(asked.grouping), hash, reservation);
    for await (const event of eventsOf(store, { ...asked, signal })) tally.add(toEventView(event));
    const found = await scheduler.run(asked.tenantId, signal, (pacer) => tally.finish(pacer));
    return 'measures' in asked.grouping || !('groups' in found) ? found : withoutRest(found);
  } finally {
    reservation.release();
  }
}

/** The events with one value of each dimension. */
interface Cell {
  /** The codes of these values. */
  readonly row: number;
  readonly column: number;
  count: number;
  /** The codes of the distinct values that were met. */
  readonly met: Set<number>;
}

/** More than there are codes. */
const CODES_MAX = 2 ** 25;

/** Collects the cells of all values one by one; all else is told of some cells together. */
function createTally(
  { by, size, columns, distinct, measures, orderBy }: MeasuredGrouping,
  hash: KeyedHash,
  reservation: Reservation,
) {
  const rowsOf = createDimensionTally(by && { by, size }, hash);
  const columnsOf = createDimensionTally(columns, hash);
  const tallies = measures.map((measure) => createPathTally(measure, hash));
  const values = createDictionary(hash);
  const cells: Cell[] = [];
  const places = new Map<number, number>();
  let meetings = 0;
  let booked = 0;

  function book(): void {
    const entries = tallies.reduce((sum, tally) => sum + tally.entries, meetings + cells.length * 2);
    const dictionaries = values.bytes + rowsOf.bytes + columnsOf.bytes;
    const texts = tallies.reduce((sum, tally) => sum + tally.bytes, dictionaries);
    const bytes = texts + entries * MEETING_BYTES;
    reserveOrThrow(reservation, bytes - booked);
    booked = bytes;
  }

  function placeOf(row: number, column: number): number {
    const known = places.get(row * CODES_MAX + column);
    if (known !== undefined) return known;
    places.set(row * CODES_MAX + column, cells.length);
    return cells.push({ row, column, count: 0, met: new Set() }) - 1;
  }

  /** What is told of some cells together. */
  async function tell(some: readonly number[], pacer: Pacer): Promise<Told> {
    const figures: MeasuredNumbers[] = [];
    for (const tally of tallies) figures.push(await tally.measure(some, pacer));
    const met = new Set<number>();
    if (distinct !== undefined)
      for (const cell of some) {
        for (const code of cells[cell]!.met) met.add(code);
        await pacer.yieldIfDue();
      }
    return {
      count: some.reduce((sum, cell) => sum + cells[cell]!.count, 0),
      ...(distinct === undefined ? {} : { distinct: met.size }),
      ...(tallies.length === 0 ? {} : { measures: figures }),
    };
  }

  /** The figure by which the groups of a path are ordered, by the codes of these. */
  async function orderFigures(pacer: Pacer): Promise<ReadonlyMap<number, OrderFigure> | undefined> {
    if (orderBy === undefined) return undefined;
    const figures = new Map<number, OrderFigure>();
    for (const [row, own] of groupsOf(cells.map((cell) => cell.row)))
      figures.set(row, (await tallies[orderBy.measure]!.measure(own, pacer))[orderBy.take]);
    return figures;
  }

  return {
    add(event: EventView): void {
      const place = placeOf(rowsOf.codeOf(event), columnsOf.codeOf(event));
      const cell = cells[place]!;
      cell.count += 1;
      measures.forEach(({ of }, i) => tallies[i]!.add(place, valueAt(event, of)));
      if (distinct !== undefined) {
        const second = encode(values, valueAt(event, distinct));
        if (isScalar(values.values[second]) && !cell.met.has(second)) {
          cell.met.add(second);
          meetings += 1;
        }
      }
      book();
    },
    async finish(pacer: Pacer): Promise<Breakdown | Whole> {
      const all = [...cells.keys()];
      if (by === undefined) {
        const { count: total, ...whole } = await tell(all, pacer);
        return { total, ...whole };
      }
      const rows = await rowsOf.choose(
        cells.map(({ row, count }) => [row, count]),
        pacer,
        await orderFigures(pacer),
      );
      const across =
        columns &&
        (await columnsOf.choose(
          cells.map(({ column, count }) => [column, count]),
          pacer,
        ));
      const told = new Map<string, Told>();
      const note = async (placeAt: (cell: Cell) => string) => {
        const placed = groupsOf(cells.map(placeAt));
        for (const [place, own] of placed) told.set(place, await tell(own, pacer));
      };
      const none = await tell([], pacer);
      await note(() => toText(undefined, undefined));
      await note(({ row }) => toText(rows.placeOf(row), undefined));
      if (across !== undefined) {
        await note(({ column }) => toText(undefined, across.placeOf(column)));
        await note(({ row, column }) => toText(rows.placeOf(row), across.placeOf(column)));
      }
      return toBreakdown({
        ...rows.outside,
        rows,
        columns: across,
        tell: (row, column) => told.get(toText(row, column)) ?? none,
      });
    },
  };
}

const toText = (row: number | undefined, column: number | undefined) => `${row} ${column}`;

/** The places in a list by what is there. */
function groupsOf<T>(list: readonly T[]): Map<T, number[]> {
  const places = new Map<T, number[]>();
  for (const [place, each] of list.entries()) {
    const own = places.get(each);
    if (own === undefined) places.set(each, [place]);
    else own.push(place);
  }
  return places;
}
