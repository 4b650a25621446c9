import type { Signal } from '../base/signal.ts';
import { PAGE_SIZE_MAX, type QueryBody } from './body.ts';

/** A page and where the next one begins; undefined where it is the last. */
interface AnsweredPage<E> {
  readonly events: readonly E[];
  readonly nextCursor: string | undefined;
}

/** Asks for one page after another. */
export async function* pagesOf<E, O extends { readonly signal?: Signal | undefined }>(
  query: (body: QueryBody, options: O | undefined) => Promise<AnsweredPage<E>>,
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
