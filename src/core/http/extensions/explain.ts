import type { OptionalAnswers } from '../../answers.ts';
import type { Scheduler } from '../../bounds/scheduler.ts';
import { createExplain } from '../../explain/explanation.ts';
import type { HttpResponse, Stores } from '../../ports.ts';
import { parseQueryBody } from '../../query/parse-query.ts';
import { createMemo } from '../memo.ts';
import type { Admit, Call } from '../operation.ts';
import { parseJson } from '../request.ts';
import { jsonResponse } from '../response.ts';

interface ExplainingOptions {
  readonly admit: Admit;
  readonly answers: OptionalAnswers;
  readonly stores: Pick<Stores, 'events'>;
  readonly scheduler: Scheduler;
}

/** What a query means, and how it will be answered. */
export function createExplaining({ admit, stores, ...tools }: ExplainingOptions) {
  const toPagedQuery = createMemo((text) => parseQueryBody(parseJson(text)));
  const explain = createExplain(tools);
  // A store that does not know its paths reads every event for them, as a question of everything does.
  const isFree = stores.events.properties !== undefined;
  return {
    explain: async (call: Call): Promise<HttpResponse> => {
      const { tenantId, asked } = await admit(call, toPagedQuery, { isFree });
      return jsonResponse(call, JSON.stringify(await explain(tenantId, asked, call.request.signal)));
    },
  };
}
