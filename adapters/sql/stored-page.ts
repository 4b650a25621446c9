import {
  countOfPiece,
  EVENT_OVERHEAD_BYTES,
  PIECE_BYTES,
  type EventQuery,
  type Page,
  type StoredEvent,
  type StoredPage,
} from '../../src/index.ts';
import { createDraft, writePage, writeWhere, type Dialect, type Statement } from './compile.ts';

/** An event of a page as engines answer it: those beyond the first piece come without their properties. */
export interface PageRow {
  readonly ts: number | string;
  readonly insert_id: string;
  readonly event_name: string;
  readonly user_id: string;
  readonly bytes: number;
  readonly properties: string | null;
}

/** The rows of a page; `table` may carry a word of the engine's own, such as `final`. */
export function selectPage(
  dialect: Dialect,
  table: string,
  tenantId: string,
  query: EventQuery,
  page: Page,
): Statement {
  const draft = createDraft(dialect);
  const where = writeWhere(dialect, tenantId, query, draft);
  const text = `select ts, insert_id, event_name, user_id, bytes,
      case when sum(bytes) over (order by ts desc, insert_id desc rows unbounded preceding)
        <= ${PIECE_BYTES} then properties end as properties
    from (
      select ts, insert_id, event_name, user_id, octet_length(properties) as bytes, properties
      from ${table} where ${where}${writePage(page, draft)}
    ) page order by ts desc, insert_id desc`;
  return { text, values: draft.values };
}

/** How many events match, as `count`. */
export function selectCount(dialect: Dialect, table: string, tenantId: string, query: EventQuery): Statement {
  const draft = createDraft(dialect);
  const where = writeWhere(dialect, tenantId, query, draft);
  return { text: `select count(*) as count from ${table} where ${where}`, values: draft.values };
}

/** A page of rows, of which `load` brings those with their properties that are still missing. */
export function storedPageOf(
  rows: readonly PageRow[],
  load: (keys: readonly PageRow[]) => Promise<readonly PageRow[]>,
): StoredPage {
  const last = rows.at(-1);
  return {
    length: rows.length,
    last: last && { eventTs: Number(last.ts), insertId: last.insert_id },
    bytes: rows.reduce((sum, { bytes }) => sum + bytes + EVENT_OVERHEAD_BYTES, 0),
    async *pieces() {
      const first = rows.filter(({ properties }) => properties !== null);
      if (first.length > 0) yield first.map(toEvent);
      for (let rest = rows.slice(first.length); rest.length > 0;) {
        const piece = rest.slice(
          0,
          countOfPiece(rest.length, (i) => rest[i]!.bytes),
        );
        const loaded = await load(piece);
        if (loaded.length !== piece.length) {
          throw new Error('Events of the page were erased while it was read.');
        }
        yield loaded.map(toEvent);
        rest = rest.slice(piece.length);
      }
    },
  };
}

function toEvent({ event_name, user_id, ts, insert_id, properties }: PageRow): StoredEvent {
  return {
    eventName: event_name,
    userId: user_id,
    eventTs: Number(ts),
    insertId: insert_id,
    propertiesJson: properties!,
  };
}
