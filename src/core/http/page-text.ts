import { invalid } from '../errors.ts';
import { toEventJson, type StoredEvent } from '../event/event.ts';

/**
 * The largest answer, in UTF-16 units: V8 cannot hold a string of twice this, and fewer events can be asked
 * for.
 */
const PAGE_LENGTH_MAX = 268_435_456;

/** How many pages are kept, and how long the text of one may be: together they bound the memory. */
const PAGES_MAX = 8;
const TEXT_LENGTH_MAX = 524_288;

interface Page {
  readonly events: readonly StoredEvent[];
  readonly text: string;
}

/**
 * Writes pages of stored events as the JSON arrays that leave in answers. Throws ApiError (400) for a page of
 * more than 256 Mi characters.
 */
export type WritePage = (events: readonly StoredEvent[]) => string;

/**
 * Makes a writer that remembers its latest pages: to put 100 events together costs several times what the
 * rest of an answer costs. A page is known again when it holds the very same objects, which a store hands out
 * while it keeps the events that were read lately; so nothing here can be stale. A store that makes new
 * objects each time pays for eight comparisons.
 */
export function createPageWriter(): WritePage {
  const pages: Page[] = [];
  return (events) => {
    const known = pages.find((page) => isSamePage(page.events, events));
    if (known !== undefined) return known.text;
    checkLength(events);
    const text = `[${events.map(toEventJson).join(',')}]`;
    if (events.length > 0 && text.length <= TEXT_LENGTH_MAX) {
      if (pages.length >= PAGES_MAX) pages.shift();
      pages.push({ events, text });
    }
    return text;
  };
}

function checkLength(events: readonly StoredEvent[]): void {
  const length = events.reduce((sum, { propertiesJson }) => sum + propertiesJson.length, 0);
  if (length <= PAGE_LENGTH_MAX) return;
  const most = Math.floor((events.length * PAGE_LENGTH_MAX) / length);
  throw invalid('pagination.size', `these events are too large for one answer; ask for at most ${most}`);
}

function isSamePage(a: readonly StoredEvent[], b: readonly StoredEvent[]): boolean {
  return a.length === b.length && a[0] === b[0] && a.every((event, i) => event === b[i]);
}
