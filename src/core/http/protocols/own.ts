import { userOfBasic } from '../basic.ts';
import { findBatch } from '../batch.ts';
import type { Call } from '../operation.ts';
import { BATCH_TYPES } from '../request.ts';
import type { Protocol } from './protocol.ts';

const CHASE_PATTERN = /^Chase +(\S+)$/i;

/** The protocol of this API. */
export const OWN: Protocol = {
  secretOf: secretOfChase,
  types: BATCH_TYPES,
  find: ({ text, type }, _call, pacer) => findBatch(text, type, pacer),
};

/**
 * The secret key in a header `Authorization: Chase <SECRET_KEY>` or `X-API-Key`, which senders of any
 * protocol may use.
 */
export function secretOfChase({ request }: Call): string | undefined {
  return CHASE_PATTERN.exec(request.header('authorization') ?? '')?.[1] ?? request.header('x-api-key');
}

/** The write key of Segment and RudderStack: the user name of Basic credentials; else as `secretOfChase`. */
export function secretOfBasic(call: Call): string | undefined {
  return userOfBasic(call.request.header('authorization') ?? '') ?? secretOfChase(call);
}
