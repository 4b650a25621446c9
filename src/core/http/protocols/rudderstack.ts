import { isSecret } from '../../access/key.ts';
import { RUDDERSTACK_PATHS, toRudderstackEvent } from '../../compat/rudderstack.ts';
import { fieldOf } from '../form.ts';
import type { Call } from '../operation.ts';
import { FORM_BATCH_TYPES } from '../request.ts';
import { findCalls } from './calls.ts';
import type { SdksRuntime } from './identified.ts';
import { secretOfBasic, secretOfChase } from './own.ts';
import type { Protocol } from './protocol.ts';

/** Its SDK for Node says that gzip is a form, and others say nothing of it. */
const TYPES: Protocol['types'] = /* @__PURE__ */ Object.assign({ '': 'json' }, FORM_BATCH_TYPES);

/** The protocol of RudderStack's SDKs. Their write key is the user name of Basic credentials. */
export const rudderstackProtocol = (runtime: SdksRuntime): Protocol => ({
  secretOf: secretOfBasic,
  types: TYPES,
  find: ({ text }, { parameter }, pacer) =>
    findCalls(text, RUDDERSTACK_PATHS[parameter as keyof typeof RUDDERSTACK_PATHS], toRudderstackEvent, {
      pacer,
      runtime,
    }),
});

/** The beacons of its web SDK: batches. They have no header, so only a public write key comes with them. */
export const rudderstackBeacon = (runtime: SdksRuntime): Protocol => ({
  secretOf: secretOfChase,
  types: TYPES,
  find: ({ text }, _call, pacer) => findCalls(text, 'batch', toRudderstackEvent, { pacer, runtime }),
});

/**
 * What RudderStack's web SDK loads before it sends: a source without destinations. It is told to report
 * nothing of itself. The SDK sends with the key that its page gave it and does not read the one here, so only
 * a public write key is repeated: anything else in the address may be a secret.
 */
export function rudderstackConfig({ alias, target }: Call): object {
  const off = { enabled: false };
  const key = fieldOf(target.queryString, 'writeKey') ?? '';
  return {
    source: {
      ...{ id: alias, name: alias, workspaceId: alias, enabled: true, destinations: [] },
      writeKey: isSecret(key, 'write') ? key : '',
      config: { statsCollection: { errors: off, metrics: off } },
    },
  };
}
