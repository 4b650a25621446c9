import { findBatch } from '../batch.ts';
import { BATCH_TYPES } from '../request.ts';
import type { WireFormat } from '../protocol.ts';

/** This API's own format. */
export const OWN: WireFormat = {
  types: BATCH_TYPES,
  find: ({ text, type }, _request, { pacer }) => findBatch(text, type, pacer),
};
