import type { EventOperations } from '../../engine/engine.ts';
import { exactJson } from '../../event/exact-json.ts';
import { parseRetentionBody } from '../../query/parse-retention.ts';
import { parseSequenceBody } from '../../query/parse-sequence.ts';
import type { ParserOf } from '../memo.ts';
import type { Question } from '../operation.ts';
import { jsonResponse } from '../response.ts';

interface SequenceOptions {
  readonly parserOf: ParserOf;
  readonly operations: EventOperations;
}

/** Makes the operations that tell what became of users: in a sequence of steps, and after a start. */
export function createSequence({ operations, parserOf }: SequenceOptions) {
  return {
    sequence: async (call, authorize) => {
      const { tenantId, asked } = await authorize(call, parserOf(parseSequenceBody));
      const found = await operations.sequence(tenantId, asked, call.request.signal);
      return jsonResponse(call, exactJson(JSON.stringify(found)));
    },
    retention: async (call, authorize) => {
      const { tenantId, asked } = await authorize(call, parserOf(parseRetentionBody));
      const found = await operations.retention(tenantId, asked, call.request.signal);
      return jsonResponse(call, JSON.stringify(found));
    },
  } satisfies Record<string, Question>;
}
