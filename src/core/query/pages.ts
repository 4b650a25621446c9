import type { Signal } from '../base/signal.ts';
import { PAGE_SIZE_MAX, type QueryBody, type UsersBody } from './body.ts';
import type { User, UserPage } from './users.ts';

/** Asks for one page of users after another, and yields them one by one. */
export async function* usersOf<O>(
  ask: (body: UsersBody, options: O | undefined) => Promise<UserPage>,
  { pagination = {}, ...rest }: UsersBody = {},
  options?: O,
): AsyncGenerator<User, void> {
  let next: UsersBody['pagination'] = { size: PAGE_SIZE_MAX, ...pagination };
  while (next !== undefined) {
    const { users, nextCursor } = await ask({ ...rest, pagination: next }, options);
    yield* users;
    next = nextCursor === undefined ? undefined : { size: next.size, cursor: nextCursor };
  }
}

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
