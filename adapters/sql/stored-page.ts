import {
  countOfPiece,
  EVENT_OVERHEAD_BYTES,
  PIECE_BYTES,
  type EventQuery,
  type Page,
  type Ranking,
  type StoredEvent,
  type StoredPage,
} from '../../src/store-kit.ts';
import {
  createDraft,
  NEWEST_FIRST,
  PAGE_ORDER,
  RECEIVED_AT,
  writePage,
  writeWhere,
  type Dialect,
  type Draft,
  type Statement,
  type TreeDialect,
} from './compile.ts';

/** How many bytes of properties a page query returns at once; events larger than their share come without. */
const PROMPT_BYTES = 4 * PIECE_BYTES;

/** An event of a page as engines return it, without its properties if they are large. */
export interface PageRow {
  /** When it happened, epoch milliseconds; a text if the driver returns large integers that way. */
  readonly ts: number | string;
  /** The event's id. */
  readonly insert_id: string;
  /** What happened. */
  readonly event_name: string;
  /** Who did it. */
  readonly user_id: string;
  /** How many bytes its properties have as JSON. */
  readonly bytes: number;
  /** When it arrived, epoch milliseconds, as `ts`; null where it was not recorded. */
  readonly received_at: number | string | null;
  /** Its properties as JSON; null if they are large and loaded later. */
  readonly properties: string | null;
}

/** The rows of a page; `table` may include a keyword of the engine, such as `final`. */
export function selectPage(
  dialect: Dialect,
  table: string,
  tenantId: string,
  query: EventQuery,
  page: Page,
): Statement {
  const draft = createDraft(dialect);
  const where = writeWhere(dialect, tenantId, query, draft);
  const rows = `select ${SIZED_COLUMNS} from ${table} where ${where}${writePage(page, draft)}`;
  return writeRows(rows, NEWEST_FIRST, page.size, draft);
}

/** What is asked of a tenant's events by their numbers. */
export interface AskedTop {
  /** The tenant whose events they are. */
  readonly tenantId: string;
  /** Selects the events. */
  readonly query: EventQuery;
  /** Which of those come first, and how many of them. */
  readonly ranking: Ranking;
}

/** The rows of the events with the first numbers at a path; `table` as for a page. */
export function selectTop(
  dialect: TreeDialect,
  table: string,
  { tenantId, query, ranking: { of, order, size } }: AskedTop,
): Statement {
  const draft = createDraft(dialect);
  const where = writeWhere(dialect, tenantId, query, draft);
  const numberAt = dialect.numbers.numberAt(of.segments, draft.bind);
  const ranked = `order by number ${order === 'largest' ? 'desc' : 'asc'}, ${PAGE_ORDER}`;
  const rows = `select ${SIZED_COLUMNS}, number
      from (select ${COLUMNS_OF_EVENTS}, ${numberAt} as number from ${table} where ${where}) numbered
      where number is not null ${ranked} limit ${draft.bind(size, 'number')}`;
  return writeRows(rows, ranked, size, draft);
}

const COLUMNS_OF_EVENTS = `ts, insert_id, event_name, user_id, ${RECEIVED_AT}, properties`;
/** The columns of a page's rows with the size of their properties. */
const SIZED_COLUMNS = `${COLUMNS_OF_EVENTS}, octet_length(properties) as bytes`;

/** Writes rows in their order, without the properties that are large. */
function writeRows(rows: string, order: string, size: number, { bind, values }: Draft): Statement {
  // Every event has an equal share, since a running total would take the engine longer.
  const share = bind(Math.floor(PROMPT_BYTES / Math.max(1, size)), 'number');
  const text = `select ts, insert_id, event_name, user_id, ${RECEIVED_AT}, bytes,
      case when bytes <= ${share} then properties end as properties
    from (
      ${rows}
    ) page ${order}`;
  return { text, values };
}

/** How many events match, as `count`. */
export function selectCount(dialect: Dialect, table: string, tenantId: string, query: EventQuery): Statement {
  const draft = createDraft(dialect);
  const where = writeWhere(dialect, tenantId, query, draft);
  return { text: `select count(*) as count from ${table} where ${where}`, values: draft.values };
}

/** A page of rows; `load` fetches the rows whose properties are still missing. */
export function storedPageOf(
  rows: readonly PageRow[],
  load: (keys: readonly PageRow[]) => Promise<readonly PageRow[]>,
): StoredPage {
  const last = rows.at(-1);
  return {
    length: rows.length,
    last: last && { eventTs: Number(last.ts), insertId: last.insert_id },
    bytes: rows.reduce((sum, { bytes }) => sum + bytes + EVENT_OVERHEAD_BYTES, 0),
    pieces: () => piecesOf(rows, load),
  };
}

/** A single generator function for all pages: V8 would retain a hidden class for each separate one. */
async function* piecesOf(
  rows: readonly PageRow[],
  load: (keys: readonly PageRow[]) => Promise<readonly PageRow[]>,
): AsyncGenerator<readonly StoredEvent[]> {
  for (let rest = rows; rest.length > 0;) {
    const count = countOfPiece(rest.length, (i) => rest[i]!.bytes);
    yield (await completed(rest.slice(0, count), load)).map(toEvent);
    rest = rest.slice(count);
  }
}

/** Rows of a page with the missing properties filled in, in order. */
async function completed(
  piece: readonly PageRow[],
  load: (keys: readonly PageRow[]) => Promise<readonly PageRow[]>,
): Promise<readonly PageRow[]> {
  const missing = piece.filter(({ properties }) => properties === null);
  if (missing.length === 0) return piece;
  const loaded = await load(missing);
  if (loaded.length !== missing.length) {
    throw new Error('Events of the page were erased while it was read.');
  }
  let next = 0;
  return piece.map((row) => (row.properties === null ? loaded[next++]! : row));
}

function toEvent({ event_name, user_id, ts, insert_id, properties, received_at }: PageRow): StoredEvent {
  return {
    eventName: event_name,
    userId: user_id,
    eventTs: Number(ts),
    insertId: insert_id,
    propertiesJson: properties!,
    receivedAt: received_at === null ? undefined : Number(received_at),
  };
}
