import type { CountBody } from '../../../../src/index.ts';
import { within } from '../explore/asked-question.ts';
import { isInstant } from '../time/asked.ts';

/** The instant of the event at which a timeline begins; undefined if it begins at one of its ends. */
export function beginOf(parameters: Pick<URLSearchParams, 'get'>): number | undefined {
  const at = parameters.get('at') ?? '';
  return isInstant(at) ? Date.parse(at) : undefined;
}

/** The events that follow in a timeline: from an instant on to the older ones, or to the newer ones. */
export function bodyFrom(body: CountBody, at: number | undefined, isOldestFirst: boolean): CountBody {
  if (at === undefined) return body;
  return within(body, isOldestFirst ? { from: at, until: Infinity } : { from: -Infinity, until: at + 1 });
}
