import type { MemoryBudget } from '../../bounds/memory-budget.ts';
import type { Scheduler } from '../../bounds/scheduler.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { cursorAfter } from '../../query/cursor.ts';
import { parseCountBody, parseQueryBody, parseTopBody } from '../../query/parse-query.ts';
import type { Meter } from '../../base/metrics.ts';
import { createBreakdown } from './breakdown.ts';
import { createComparing } from './compare.ts';
import { createExplaining } from './explain.ts';
import { createExport } from './export.ts';
import { createProperties } from './properties.ts';
import { createSequence } from './sequence.ts';
import { createTail } from './tail.ts';
import { createListWriter } from '../list-text.ts';
import { createParsers, type ParserOf } from '../memo.ts';
import type { Question } from '../operation.ts';
import { createPageWriter, type WritePage } from '../page-text.ts';
import { jsonResponse } from '../response.ts';

/** The dependencies of the questions. */
export interface HttpQuestionsOptions {
  readonly operations: EventOperations;
  readonly scheduler: Scheduler;
  readonly memory: MemoryBudget;
  readonly meter: Meter;
}

/** The questions about events that the Query API and the Admin API share. */
export type HttpQuestions = ReturnType<typeof createHttpQuestions>;

/**
 * Makes the questions, once for both APIs, so that they share the caches of parsed bodies and written pages.
 */
export function createHttpQuestions(options: HttpQuestionsOptions) {
  const writers = { writePage: createPageWriter(options), writeList: createListWriter(options) };
  const tools = { ...options, ...writers, parserOf: createParsers(options.operations.zones) };
  return {
    ...createPagedQuestions(tools),
    ...createBreakdown(tools),
    ...createSequence(tools),
    ...createComparing(tools),
    ...createProperties(tools),
    ...createTail(tools),
    ...createExport(tools),
    ...createExplaining(tools),
  };
}

interface ReadingOptions {
  readonly parserOf: ParserOf;
  readonly writePage: WritePage;
}

/** Makes the operations that answer pages of events and counts. */
function createPagedQuestions({ writePage, parserOf }: ReadingOptions) {
  return {
    query: async (call, authorize) => {
      const { tenantId, asked, operations } = await authorize(call, parserOf(parseQueryBody));
      const { signal } = call.request;
      const page = await operations.query(tenantId, asked, signal);
      call.notes.rows = page.length;
      const body = await writePage(tenantId, page, asked.include, signal);
      const cursor = cursorAfter(asked, page);
      if (cursor !== undefined) call.headers['X-Next-Cursor'] = cursor;
      return { status: 200, headers: call.headers, body };
    },
    count: async (call, authorize) => {
      const { tenantId, asked, operations } = await authorize(call, parserOf(parseCountBody));
      const count = await operations.count(tenantId, asked, call.request.signal);
      return jsonResponse(call, `{"count":${count}}`);
    },
    top: async (call, authorize) => {
      const { tenantId, asked, operations } = await authorize(call, parserOf(parseTopBody));
      const { signal } = call.request;
      const page = await operations.top(tenantId, asked, signal);
      call.notes.rows = page.length;
      const body = await writePage(tenantId, page, asked.include, signal, 'size');
      return { status: 200, headers: call.headers, body };
    },
  } satisfies Record<string, Question>;
}
