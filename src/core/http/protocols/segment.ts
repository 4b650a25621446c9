import { isSecret } from '../../access/key.ts';
import { hideCredentials } from '../../base/credentials.ts';
import { SEGMENT_PATHS, toSegmentEvent } from '../../compat/segment.ts';
import type { Call } from '../operation.ts';
import { JSON_BATCH_TYPES } from '../request.ts';
import { findCalls } from './calls.ts';
import type { SdksRuntime } from './identified.ts';
import { findText } from './members.ts';
import { secretOfBasic } from './own.ts';
import type { Protocol } from './protocol.ts';

/** The protocol of Segment's SDKs. Their write key is the user name of Basic credentials, or in the body. */
export const segmentProtocol = (runtime: SdksRuntime): Protocol => ({
  secretOf: secretOfBasic,
  types: JSON_BATCH_TYPES,
  secretIn: ({ text }, _call, pacer) => findText(text, 'writeKey', pacer),
  find: ({ text }, { parameter }, pacer) =>
    findCalls(text, SEGMENT_PATHS[parameter as keyof typeof SEGMENT_PATHS], toSegmentEvent, {
      pacer,
      runtime,
    }),
});

/**
 * What Segment's web SDK needs to send to this tenant: the address below which it asks for the calls. It is
 * told to count nothing of itself, which it would send to Segment. A secret in the address is not repeated;
 * the key that the SDK sends with is public.
 */
export function segmentSettings({ request, alias, parameter }: Call): object {
  const apiHost = `${request.header('host') ?? ''}/v1/segment/${alias}/v1`;
  const isPublic = isSecret(parameter, 'write') || hideCredentials(parameter) === parameter;
  return {
    integrations: { 'Segment.io': { apiKey: isPublic ? parameter : '', apiHost } },
    metrics: { host: apiHost, sampleRate: 0 },
  };
}
