import { isApiError, type ApiError } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import { toInsertId, type IdentifiedEvent } from '../../compat/fields.ts';
import type { EventInput } from '../../event/parse-event.ts';

/** What the protocols of others need of the runtime. */
export type SdksRuntime = Pick<Runtime, 'now' | 'sha256'>;

/** Gives an event the id that its identity makes; one without an identity gets an id of the engine. */
export function withInsertId(
  { event, identity }: IdentifiedEvent,
  prefix: string,
  runtime: Pick<Runtime, 'sha256'>,
): EventInput | Promise<EventInput> {
  if (identity === undefined) return event;
  const hash = runtime.sha256(identity);
  const toWhole = (digits: string): EventInput => ({ ...event, insertId: toInsertId(prefix, digits) });
  return typeof hash === 'string' ? toWhole(hash) : hash.then(toWhole);
}

/** The field that a refusal of an event is about, in the words of a protocol; the whole event for none. */
export function fieldOfRefusal(error: string, words: Readonly<Record<string, string>>): string {
  const path = /^([\w$.]{1,200}):/.exec(error)?.[1] ?? 'event';
  const [root = ''] = path.split('.');
  return Object.hasOwn(words, root) ? words[root]! : path;
}

/** What a function gives, or the refusal that it throws. */
export function orRefusal<T>(make: () => T): T | ApiError {
  try {
    return make();
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}
