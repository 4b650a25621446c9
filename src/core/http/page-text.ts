import { whileReserved } from '../bounds/while-reserved.ts';
import type { CacheEntry, MemoryBudget } from '../bounds/memory-budget.ts';
import type { Scheduler } from '../bounds/scheduler.ts';
import { invalid } from '../base/errors.ts';
import { toEventJson, type StoredEvent } from '../event/event.ts';
import type { HttpResponse } from './message.ts';
import type { Signal } from '../base/signal.ts';
import type { StoredPage } from '../query/event-query.ts';
import { collect, PIECE_BYTES } from '../query/stored-page.ts';

/** The largest page: about as many bytes of JSON; fewer events can be asked for. */
const PAGE_BYTES_MAX = 268_435_456;

/** Up to here a page is one text, and may be remembered. */
const SMALL_PAGE_BYTES_MAX = 524_288;

/** How many pages are remembered: who looks for one compares them all. */
const PAGES_MAX = 8;

interface Remembered {
  readonly events: readonly StoredEvent[];
  readonly text: string;
  readonly entry: CacheEntry;
}

/**
 * Writes a page of a tenant as the JSON array that leaves in an answer: a small one as one text, a larger one
 * piece by piece, each when the client has taken the one before. Throws ApiError (400) for a page of more
 * than about 256 MiB.
 */
export type WritePage = (tenantId: string, page: StoredPage, signal: Signal) => Promise<HttpResponse['body']>;

/**
 * Makes a writer that remembers its latest small pages: to put 100 events together costs several times what
 * the rest of an answer costs. A page is known again when it holds the very same objects, which a store hands
 * out while it keeps the events that were read lately; so nothing here can be stale. A store that makes new
 * objects each time pays for eight comparisons. It is put together at once, in nobody's turn: the pages of
 * all who waited for one would be in memory together.
 */
export function createPageWriter({
  scheduler,
  memory,
}: {
  readonly scheduler: Scheduler;
  readonly memory: MemoryBudget;
}): WritePage {
  const pages: Remembered[] = [];

  function writeSmall(tenantId: string, events: readonly StoredEvent[]): string {
    const known = pages.find((page) => isSamePage(page.events, events));
    if (known !== undefined) return known.text;
    const text = `[${events.map(toEventJson).join(',')}]\n`;
    if (events.length > 0) remember(tenantId, events, text);
    return text;
  }

  function remember(tenantId: string, events: readonly StoredEvent[], text: string): void {
    const entry = memory.cacheEntry(tenantId, () => void pages.splice(pages.indexOf(page), 1));
    const page: Remembered = { events, text, entry };
    // The text and the events that it was made of, two bytes a character at most.
    if (!entry.reserve(text.length * 4)) return;
    if (pages.length >= PAGES_MAX) pages.shift()!.entry.discard();
    pages.push(page);
    entry.unpin();
  }

  async function* writeLarge(tenantId: string, page: StoredPage, signal: Signal): AsyncGenerator<string> {
    let before = '[';
    for await (const events of page.pieces()) {
      yield await scheduler.run(tenantId, signal, () => before + events.map(toEventJson).join(','));
      before = ',';
    }
    yield ']\n';
  }

  return async (tenantId, page, signal) => {
    if (page.bytes > PAGE_BYTES_MAX) {
      const most = Math.max(1, Math.floor((page.length * PAGE_BYTES_MAX) / page.bytes));
      throw invalid('pagination.size', `these events are too large for one answer; ask for at most ${most}`);
    }
    if (page.bytes > SMALL_PAGE_BYTES_MAX) {
      // The events of a piece and their text, from when the piece waits for its turn until it has left.
      const bytes = Math.min(page.bytes, PIECE_BYTES) * 2;
      return whileReserved(memory.reservation(tenantId), bytes, writeLarge(tenantId, page, signal));
    }
    return writeSmall(tenantId, await collect(page));
  };
}

function isSamePage(a: readonly StoredEvent[], b: readonly StoredEvent[]): boolean {
  return a.length === b.length && a[0] === b[0] && a.every((event, i) => event === b[i]);
}
