import type { OptionalAnswers } from '../../answers.ts';
import type { Scheduler } from '../../bounds/scheduler.ts';
import { createExplain } from '../../explain/explanation.ts';
import type { HttpResponse } from '../../ports.ts';
import { parseQueryBody } from '../../query/parse-query.ts';
import { createMemo } from '../memo.ts';
import type { Admit, Call } from '../operation.ts';
import { parseJson } from '../request.ts';
import { jsonResponse } from '../response.ts';

interface ExplainingOptions {
  readonly admit: Admit;
  readonly answers: OptionalAnswers;
  readonly scheduler: Scheduler;
}

/** What a query means, and how it will be answered. */
export function createExplaining({ admit, ...tools }: ExplainingOptions) {
  const toPagedQuery = createMemo((text) => parseQueryBody(parseJson(text)));
  const explain = createExplain(tools);
  return {
    explain: async (call: Call): Promise<HttpResponse> => {
      const { tenantId, asked } = await admit(call, toPagedQuery, { isFree: true });
      return jsonResponse(call, JSON.stringify(await explain(tenantId, asked, call.request.signal)));
    },
  };
}
