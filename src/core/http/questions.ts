import type { Ledger } from '../bounds/ledger.ts';
import type { Scheduler } from '../bounds/scheduler.ts';
import { invalid } from '../errors.ts';
import { quote } from '../event/text.ts';
import type { HttpResponse, Stores } from '../ports.ts';
import { cursorAfter } from '../query/cursor.ts';
import { parseCountBody, parseQueryBody } from '../query/parse-query.ts';
import type { Service } from '../service.ts';
import { createMemo } from './memo.ts';
import type { Call } from './operation.ts';
import { createPageWriter } from './page-text.ts';
import { parseJson, readJsonText } from './request.ts';
import { addLimitHeaders, jsonResponse } from './response.ts';

interface QuestionsOptions {
  readonly service: Service;
  readonly stores: Pick<Stores, 'events'>;
  readonly scheduler: Scheduler;
  readonly ledger: Ledger;
}

/** What the Query API answers. */
export function createQuestions({ service, stores: { events }, scheduler, ledger }: QuestionsOptions) {
  const toPagedQuery = createMemo((text) => parseQueryBody(parseJson(text)));
  const toEventQuery = createMemo((text) => parseCountBody(parseJson(text)));
  const writePage = createPageWriter({ scheduler, ledger });

  /** Judges who asks, then reads what is asked, then takes a token: a refusal costs none. */
  async function admit<Q>(call: Call, read: (tenantId: string) => Promise<Q>) {
    const { request, alias, headers } = call;
    const grant = await service.admit({ apiKey: request.header('x-api-key'), alias });
    const asked = await read(grant.tenantId).catch(grant.refuse);
    addLimitHeaders(headers, await grant.take());
    return { tenantId: grant.tenantId, asked };
  }

  async function readText({ request, target }: Call, tenantId: string): Promise<string> {
    refuseParameters(target.queryString);
    return readJsonText(request, tenantId);
  }

  return {
    query: async (call: Call): Promise<HttpResponse> => {
      const { tenantId, asked } = await admit(call, async (id) => toPagedQuery(await readText(call, id)));
      const { signal } = call.request;
      const page = await events.query(tenantId, asked.query, asked.page, signal);
      const body = await writePage(tenantId, page, signal);
      const cursor = cursorAfter(asked, page);
      if (cursor !== undefined) call.headers['X-Next-Cursor'] = cursor;
      return { status: 200, headers: call.headers, body };
    },
    count: async (call: Call): Promise<HttpResponse> => {
      const { tenantId, asked } = await admit(call, async (id) => toEventQuery(await readText(call, id)));
      return jsonResponse(call, `{"count":${await events.count(tenantId, asked, call.request.signal)}}`);
    },
    eventNames: async (call: Call): Promise<HttpResponse> => {
      // eslint-disable-next-line @typescript-eslint/require-await
      const { tenantId } = await admit(call, async () => refuseParameters(call.target.queryString));
      return jsonResponse(call, JSON.stringify(await events.eventNames(tenantId, call.request.signal)));
    },
  };
}

/**
 * The Query API has no query parameters; one that were ignored would be a filter that silently does nothing.
 */
function refuseParameters(queryString: string): void {
  if (queryString === '') return;
  throw invalid(
    'query string',
    `takes no parameters, got ${quote(queryString)}; filters go into the body of a POST`,
  );
}
