import { whileReserved } from '../bounds/while-reserved.ts';
import type { CacheEntry, MemoryBudget } from '../bounds/memory-budget.ts';
import type { Scheduler } from '../bounds/scheduler.ts';
import { invalid } from '../base/errors.ts';
import { toEventJson, type Includable, type StoredEvent } from '../event/event.ts';
import type { HttpResponse } from './message.ts';
import type { Signal } from '../base/signal.ts';
import type { StoredPage } from '../query/event-query.ts';
import { collect, PIECE_BYTES } from '../query/stored-page.ts';

/** The largest page, in approximate bytes of JSON. A client can ask for fewer events. */
const PAGE_BYTES_MAX = 268_435_456;

/** The largest page that is written as one text and cached, in approximate bytes of JSON. */
const SMALL_PAGE_BYTES_MAX = 524_288;

/** How many pages are cached. A look-up compares them all. */
const PAGES_MAX = 8;

interface Remembered {
  readonly events: readonly StoredEvent[];
  /** Whether it shows the fields that are not in every answer. */
  readonly isWide: boolean;
  readonly text: string;
  readonly entry: CacheEntry;
}

/**
 * Writes a page of a tenant as the JSON array of an answer: a small page as one text, a larger one piece by
 * piece, each after the client has read the one before. Throws ApiError (400) for a page of more than about
 * 256 MiB, which names where the body says how many events it has.
 */
export type WritePage = (
  tenantId: string,
  page: StoredPage,
  include: readonly Includable[],
  signal: Signal,
  sizeAt?: string,
) => Promise<HttpResponse['body']>;

/**
 * Makes a writer that caches its latest small pages: serializing 100 events costs several times as much as
 * the rest of an answer. The cache recognizes a page by the identity of its event objects, which a store
 * returns again while it caches them, so an entry is never stale. A store that makes new objects for each
 * answer only pays for eight comparisons. The writer serializes a small page at once, without the scheduler:
 * if requests waited for turns here, all their pages would be in memory together.
 */
export function createPageWriter({
  scheduler,
  memory,
}: {
  readonly scheduler: Scheduler;
  readonly memory: MemoryBudget;
}): WritePage {
  const pages: Remembered[] = [];

  function writeSmall(
    tenantId: string,
    events: readonly StoredEvent[],
    include: readonly Includable[],
  ): string {
    const isWide = include.length > 0;
    const known = pages.find((page) => page.isWide === isWide && isSamePage(page.events, events));
    if (known !== undefined) return known.text;
    const text = `[${toTexts(events, include)}]\n`;
    if (events.length > 0) remember(tenantId, { events, isWide, text });
    return text;
  }

  function remember(tenantId: string, { events, isWide, text }: Omit<Remembered, 'entry'>): void {
    const entry = memory.cacheEntry(tenantId, () => void pages.splice(pages.indexOf(page), 1));
    const page: Remembered = { events, isWide, text, entry };
    // The text and its events, each at most two bytes a character.
    if (!entry.reserve(text.length * 4)) return;
    if (pages.length >= PAGES_MAX) pages.shift()!.entry.discard();
    pages.push(page);
    entry.unpin();
  }

  async function* writeLarge(
    tenantId: string,
    page: StoredPage,
    include: readonly Includable[],
    signal: Signal,
  ): AsyncGenerator<string> {
    let before = '[';
    for await (const events of page.pieces()) {
      yield await scheduler.run(tenantId, signal, () => before + toTexts(events, include));
      before = ',';
    }
    yield ']\n';
  }

  return async (tenantId, page, include, signal, sizeAt = 'pagination.size') => {
    if (page.bytes > PAGE_BYTES_MAX) {
      const most = Math.max(1, Math.floor((page.length * PAGE_BYTES_MAX) / page.bytes));
      throw invalid(sizeAt, `these events are too large for one answer; ask for at most ${most}`);
    }
    if (page.bytes > SMALL_PAGE_BYTES_MAX) {
      // The events of a piece and their text, from the wait for its turn until it is sent.
      const bytes = Math.min(page.bytes, PIECE_BYTES) * 2;
      return whileReserved(memory.reservation(tenantId), bytes, writeLarge(tenantId, page, include, signal));
    }
    return writeSmall(tenantId, await collect(page), include);
  };
}

function toTexts(events: readonly StoredEvent[], include: readonly Includable[]): string {
  return events.map((event) => toEventJson(event, include)).join(',');
}

function isSamePage(a: readonly StoredEvent[], b: readonly StoredEvent[]): boolean {
  return a.length === b.length && a[0] === b[0] && a.every((event, i) => event === b[i]);
}
