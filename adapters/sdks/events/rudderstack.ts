import { toCallEvent, type CallRow, type SharedFields } from '../messages/calls.ts';
import type { IdentifiedEvent } from '../messages/fields.ts';
import { SEGMENT_CALLS } from './segment.ts';

/** The calls of RudderStack: those of Segment, and one more. */
export const RUDDERSTACK_CALLS = {
  ...SEGMENT_CALLS,
  merge: { eventName: 'users_merged', content: 'properties' },
} as const satisfies Readonly<Record<string, CallRow>>;

/** The name of a call: the `type` of a message. */
export type RudderstackCall = keyof typeof RUDDERSTACK_CALLS;

/** The last segment of each path, and the call that it takes. */
export const RUDDERSTACK_PATHS = {
  ...{ batch: 'batch', import: 'batch', track: 'track', identify: 'identify', page: 'page' },
  ...{ screen: 'screen', group: 'group', alias: 'alias', merge: 'merge' },
} as const satisfies Readonly<Record<string, RudderstackCall | 'batch'>>;

/**
 * Turns a message of RudderStack's SDKs into an event, as `toCallEvent`. `call` is the call that the address
 * names. What is not a part of the event has the place that an import of a dump gives it. Throws ApiError
 * (400).
 */
export function toRudderstackEvent(
  message: unknown,
  now: number,
  call?: RudderstackCall,
  shared?: SharedFields,
): IdentifiedEvent {
  return toCallEvent({ calls: RUDDERSTACK_CALLS, rest: 'rudderstack' }, message, now, call, shared);
}
