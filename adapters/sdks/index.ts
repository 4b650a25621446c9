/**
 * The protocols of other SDKs. A program passes those that it wants to `createApi`; what they send is stored
 * as events of this API.
 */
import type { Protocol } from '../../src/index.ts';
import { amplitude } from './protocols/amplitude.ts';
import { mixpanel } from './protocols/mixpanel.ts';
import { posthog } from './protocols/posthog.ts';
import { rudderstack } from './protocols/rudderstack.ts';
import { segment } from './protocols/segment.ts';

export { amplitude, mixpanel, posthog, rudderstack, segment };

// What becomes of the calls in a dump, for who imports one.
export type { CallRow } from './messages/calls.ts';
export { RUDDERSTACK_CALLS } from './events/rudderstack.ts';
export { SEGMENT_CALLS } from './events/segment.ts';

/** All of them. */
export const sdkProtocols = (): readonly Protocol[] => [
  segment(),
  rudderstack(),
  posthog(),
  mixpanel(),
  amplitude(),
];
