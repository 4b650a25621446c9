import type { EventOperations } from '../../engine/engine.ts';
import { parseExplainBody } from '../../explain/asked.ts';
import type { ParserOf } from '../memo.ts';
import type { Question } from '../operation.ts';
import { jsonResponse } from '../response.ts';

interface ExplainingOptions {
  readonly parserOf: ParserOf;
  readonly operations: EventOperations;
}

/** Makes the operation that explains what a question means and how it will be answered. */
export function createExplaining({ operations, parserOf }: ExplainingOptions) {
  // A store without an index of paths reads every event for an explanation, so that takes a token.
  const isFree = operations.knowsProperties;
  return {
    explain: async (call, authorize) => {
      const { tenantId, asked } = await authorize(call, parserOf(parseExplainBody), {
        isFree,
        ofAll: () => 'An explanation',
      });
      const explanation = await operations.explain(tenantId, asked, call.request.signal);
      return jsonResponse(call, JSON.stringify(explanation));
    },
  } satisfies Record<string, Question>;
}
