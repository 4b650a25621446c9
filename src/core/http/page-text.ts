import { toEventJson, type StoredEvent } from '../event/event.ts';

/** How many pages are kept, and how long the text of one may be: together they bound the memory. */
const PAGES_MAX = 8;
const TEXT_LENGTH_MAX = 524_288;

interface Page {
  readonly events: readonly StoredEvent[];
  readonly text: string;
}

/** Writes pages of stored events as the JSON arrays that leave in answers. */
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
    const text = `[${events.map(toEventJson).join(',')}]`;
    if (events.length > 0 && text.length <= TEXT_LENGTH_MAX) {
      if (pages.length >= PAGES_MAX) pages.shift();
      pages.push({ events, text });
    }
    return text;
  };
}

function isSamePage(a: readonly StoredEvent[], b: readonly StoredEvent[]): boolean {
  return a.length === b.length && a[0] === b[0] && a.every((event, i) => event === b[i]);
}
