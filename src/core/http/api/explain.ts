import type { EventOperations } from '../../engine/engine.ts';
import { parseQueryBody } from '../../query/parse-query.ts';
import { createMemo } from '../memo.ts';
import type { Question } from '../operation.ts';
import { parseJson } from '../request.ts';
import { jsonResponse } from '../response.ts';

/** Makes the operation that explains what a query means and how it will be answered. */
export function createExplaining({ operations }: { readonly operations: EventOperations }) {
  const toPagedQuery = createMemo((text) => parseQueryBody(parseJson(text)));
  // A store without an index of paths reads every event for an explanation, so that takes a token.
  const isFree = operations.knowsProperties;
  return {
    explain: async (call, authorize) => {
      const { tenantId, asked } = await authorize(call, toPagedQuery, { isFree });
      const explanation = await operations.explain(tenantId, asked, call.request.signal);
      return jsonResponse(call, JSON.stringify(explanation));
    },
  } satisfies Record<string, Question>;
}
