import { toPageSnapshotEvent, toUserPropertiesEvent } from '../../compat/web-sdk.ts';
import { JSON_BATCH_TYPES } from '../request.ts';
import { oneMessage } from './members.ts';
import { secretOfChase } from './own.ts';
import type { Protocol } from './protocol.ts';

/** The protocol of the web SDK's user properties: one event, made of the whole body. */
export const USER_PROPERTIES: Protocol = {
  secretOf: secretOfChase,
  types: JSON_BATCH_TYPES,
  find: ({ text }) => Promise.resolve(oneMessage(text, toUserPropertiesEvent)),
};

/** The protocol of the page snapshots of the web SDK and the tag: one event, made of the whole body. */
export const PAGE_SNAPSHOT: Protocol = {
  secretOf: secretOfChase,
  types: JSON_BATCH_TYPES,
  find: ({ text }) => Promise.resolve(oneMessage(text, (body) => toPageSnapshotEvent(body, text))),
};
