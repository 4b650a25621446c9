import type { HttpResponse, Stores } from '../ports.ts';
import { cursorAfter } from '../query/cursor.ts';
import { parseCountBody, parseQueryBody } from '../query/parse-query.ts';
import type { WriteList } from './list-text.ts';
import { createMemo } from './memo.ts';
import type { Admit, Call } from './operation.ts';
import type { WritePage } from './page-text.ts';
import { parseJson } from './request.ts';
import { jsonResponse } from './response.ts';

interface QuestionsOptions {
  readonly admit: Admit;
  readonly stores: Pick<Stores, 'events'>;
  readonly writePage: WritePage;
  readonly writeList: WriteList;
}

/** What the Query API answers. */
export function createQuestions({ admit, stores: { events }, writePage, writeList }: QuestionsOptions) {
  const toPagedQuery = createMemo((text) => parseQueryBody(parseJson(text)));
  const toEventQuery = createMemo((text) => parseCountBody(parseJson(text)));

  return {
    query: async (call: Call): Promise<HttpResponse> => {
      const { tenantId, asked } = await admit(call, toPagedQuery);
      const { signal } = call.request;
      const page = await events.query(tenantId, asked.query, asked.page, signal);
      const body = await writePage(tenantId, page, signal);
      const cursor = cursorAfter(asked, page);
      if (cursor !== undefined) call.headers['X-Next-Cursor'] = cursor;
      return { status: 200, headers: call.headers, body };
    },
    count: async (call: Call): Promise<HttpResponse> => {
      const { tenantId, asked } = await admit(call, toEventQuery);
      return jsonResponse(call, `{"count":${await events.count(tenantId, asked, call.request.signal)}}`);
    },
    eventNames: async (call: Call): Promise<HttpResponse> => {
      const { tenantId } = await admit(call, () => undefined);
      const items = await events.eventNames(tenantId, call.request.signal);
      const length = items.reduce((sum, name) => sum + name.length, 0);
      return writeList(call, tenantId, { before: '[', items, behind: ']', length });
    },
  };
}
