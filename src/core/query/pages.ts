import type { Signal } from '../base/signal.ts';
import { PAGE_SIZE_MAX, type QueryBody } from './body.ts';

/** Asks for one page after another. */
export async function* pagesOf<E, O extends { readonly signal?: Signal | undefined }>(
  query: (
    body: QueryBody,
    options: O | undefined,
  ) => Promise<{ readonly events: readonly E[]; readonly nextCursor: string | undefined }>,
  { pagination = {}, ...rest }: QueryBody = {},
  options?: O,
): AsyncGenerator<readonly E[], void> {
  let next: QueryBody['pagination'] = { size: PAGE_SIZE_MAX, ...pagination };
  while (next !== undefined) {
    const { events, nextCursor } = await query({ ...rest, pagination: next }, options);
    if (events.length > 0) yield events;
    next = nextCursor === undefined ? undefined : { size: next.size, cursor: nextCursor };
  }
}
