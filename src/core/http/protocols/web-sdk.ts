import { toPageSnapshotEvent, toUserPropertiesEvent } from '../../compat/web-sdk.ts';
import { JSON_BATCH_TYPES } from '../request.ts';
import { oneMessage } from './members.ts';
import type { WireFormat } from '../protocol.ts';

/** The web SDK's user properties: one event, made of the whole body. */
export const USER_PROPERTIES: WireFormat = {
  types: JSON_BATCH_TYPES,
  find: ({ text }) => Promise.resolve(oneMessage(text, toUserPropertiesEvent)),
};

/** The page snapshots of the web SDK and the tag: one event, made of the whole body. */
export const PAGE_SNAPSHOT: WireFormat = {
  types: JSON_BATCH_TYPES,
  find: ({ text }) => Promise.resolve(oneMessage(text, (body) => toPageSnapshotEvent(body, text))),
};
