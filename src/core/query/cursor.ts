import stableStringify from 'fast-json-stable-stringify';
import { invalid } from '../base/errors.ts';
import { checksum } from '../event/checksum.ts';
import { INSERT_ID_PATTERN } from '../event/event-fields.ts';
import type { EventQuery, Page, Position, StoredPage } from './event-query.ts';

/**
 * A cursor names the last event of a page and the query that the page belongs to:
 * `1.<query>.<eventTs>.<insertId>`. Because it names a position instead of a number of rows, events that
 * arrive between two pages neither shift nor repeat any. Its form is private: clients send back what they
 * received.
 */
const CURSOR_PATTERN = /^1\.([0-9a-z]{1,11})\.(\d{1,13})\.([A-Za-z0-9%\-_.!~*'()]{1,384})$/;

/** Writes the cursor that continues a query after a position. */
export function toCursor(query: EventQuery, { eventTs, insertId }: Position): string {
  return `1.${fingerprint(query)}.${eventTs}.${encodeURIComponent(insertId)}`;
}

/** The cursor that continues after a page that was read; undefined if the page was not full. */
export function cursorAfter(
  { query, page }: { readonly query: EventQuery; readonly page: Page },
  { length, last }: Pick<StoredPage, 'length' | 'last'>,
): string | undefined {
  return last === undefined || length < page.size ? undefined : toCursor(query, last);
}

/** Parses a cursor. Throws ApiError (400) if the text is not a cursor or belongs to another query. */
export function parseCursor(text: string, query: EventQuery, where: string): Position {
  const match = CURSOR_PATTERN.exec(text);
  const insertId = match === null ? undefined : decode(match[3] ?? '');
  if (match === null || insertId === undefined || !INSERT_ID_PATTERN.test(insertId)) {
    throw invalid(where, 'takes the X-Next-Cursor of the page before, unchanged');
  }
  if (match[1] !== fingerprint(query)) {
    throw invalid(
      where,
      'belongs to another query; send it with the event, dates and filters that it came from',
    );
  }
  return { eventTs: Number(match[2]), insertId };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/**
 * A 53-bit hash of a query's meaning. It guards against mix-ups, not against forgery: a cursor grants no
 * access.
 */
function fingerprint(query: EventQuery): string {
  // JSON has no infinities: a missing bound becomes null.
  return checksum([stableStringify(query)]).toString(36);
}
