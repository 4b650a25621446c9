import { toCallEvent, type CallRow, type SharedFields } from '../messages/calls.ts';
import type { IdentifiedEvent } from '../messages/fields.ts';

/** The calls of Segment's tracking API. */
export const SEGMENT_CALLS = {
  track: { content: 'properties' },
  identify: { eventName: 'user_identified', content: 'traits' },
  page: { eventName: 'page_viewed', content: 'properties' },
  screen: { eventName: 'screen_viewed', content: 'properties' },
  group: { eventName: 'group_identified', content: 'traits' },
  alias: { eventName: 'user_aliased', content: 'properties' },
} as const satisfies Readonly<Record<string, CallRow>>;

/** The name of a call: the `type` of a message. */
export type SegmentCall = keyof typeof SEGMENT_CALLS;

/** The last segment of each path, and the call that it takes. Browsers shorten the name to a letter. */
export const SEGMENT_PATHS = {
  ...{ batch: 'batch', b: 'batch', import: 'batch' },
  ...{ track: 'track', t: 'track', identify: 'identify', i: 'identify', page: 'page', p: 'page' },
  ...{ screen: 'screen', s: 'screen', group: 'group', g: 'group', alias: 'alias', a: 'alias' },
} as const satisfies Readonly<Record<string, SegmentCall | 'batch'>>;

/**
 * Turns a message of Segment's SDKs into an event, as `toCallEvent`. `call` is the call that the address
 * names. Throws ApiError (400).
 */
export function toSegmentEvent(
  message: unknown,
  now: number,
  call?: SegmentCall,
  shared?: SharedFields,
): IdentifiedEvent {
  return toCallEvent({ calls: SEGMENT_CALLS, rest: 'segment' }, message, now, call, shared);
}
