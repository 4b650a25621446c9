import type { EventInput, FindingTools } from '../../../src/index.ts';
import { toInsertId } from '../../../src/transport-kit.ts';
import type { IdentifiedEvent } from './fields.ts';

/** Gives an event the id that its identity makes; one without an identity gets an id of the engine. */
export function withInsertId(
  { event, identity }: IdentifiedEvent,
  prefix: string,
  runtime: Pick<FindingTools['runtime'], 'sha256'>,
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
