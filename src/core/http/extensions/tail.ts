import { aborted, ApiError } from '../../errors.ts';
import type { HttpRequest, HttpResponse, Stores } from '../../ports.ts';
import {
  ARRIVAL_ORDER,
  parsePosition,
  toPositionText,
  type ArrivalPosition,
  type Arrivals,
} from '../../query/arrivals.ts';
import { PAGE_SIZE_MAX } from '../../query/body.ts';
import { parseCountBody } from '../../query/parse-query.ts';
import { pageOf } from '../../query/stored-page.ts';
import type { Runtime } from '../../runtime.ts';
import { createMemo } from '../memo.ts';
import type { Admit, Call } from '../operation.ts';
import type { WritePage } from '../page-text.ts';
import { parseJson } from '../request.ts';

interface TailOptions {
  readonly admit: Admit;
  readonly stores: Pick<Stores, 'events'>;
  readonly runtime: Pick<Runtime, 'sleep'>;
  readonly writePage: WritePage;
}

/** The header of a request and of its answer. */
const POSITION_HEADER = 'X-Tail-Position';

/** How often an answer that waits looks for events, and after how many looks it waits no longer: 25 s. */
const LOOK_MS = 250;
const LOOKS_MAX = 100;
/** How many seconds somebody would wait (RFC 7240), where that is less. */
const WAIT_PATTERN = /(?:^|[,;\s])wait ?= ?"?(\d{1,4})(?!\d)/i;

/** How many answers may wait at once; any other comes at once, with events or without. */
const WAITING_MAX = 250;

/** What arrives, as it arrives. */
export function createTail({ admit, stores: { events }, runtime, writePage }: TailOptions) {
  const toEventQuery = createMemo((text) => parseCountBody(parseJson(text)));
  let waiting = 0;

  /** Looks until there is something, or there is no use in waiting any longer. */
  async function waitFor(
    look: (position: ArrivalPosition | undefined) => Promise<Arrivals>,
    position: ArrivalPosition | undefined,
    { header, signal, isClosing }: Pick<HttpRequest, 'header' | 'signal' | 'isClosing'>,
  ): Promise<Arrivals> {
    const seconds = WAIT_PATTERN.exec(header('prefer') ?? '')?.[1] ?? Infinity;
    const most = Math.min(LOOKS_MAX, (Number(seconds) * 1000) / LOOK_MS);
    let found = await look(position);
    if (waiting >= WAITING_MAX || runtime.sleep === undefined) return found;
    waiting += 1;
    try {
      for (let looks = 0; found.events.length === 0 && looks < most; looks++) {
        if (isClosing?.() === true) break;
        await runtime.sleep(LOOK_MS);
        if (signal.aborted) throw aborted();
        found = await look(found.position);
      }
      return found;
    } finally {
      waiting -= 1;
    }
  }

  return {
    tail: async (call: Call): Promise<HttpResponse> => {
      const { request } = call;
      const { tenantId, asked } = await admit(call, (text) => {
        if (events.since === undefined) throw new ApiError('notSupported', [ARRIVAL_ORDER]);
        const sent = request.header(POSITION_HEADER.toLowerCase());
        const position = sent === undefined ? undefined : parsePosition(sent, POSITION_HEADER);
        return { query: toEventQuery(text), position };
      });
      const look = (position: ArrivalPosition | undefined) =>
        events.since!(tenantId, asked.query, position, PAGE_SIZE_MAX, request.signal);
      const found = await waitFor(look, asked.position, request);
      const body = await writePage(tenantId, pageOf(found.events), request.signal);
      call.headers[POSITION_HEADER] = toPositionText(found.position);
      return { status: 200, headers: call.headers, body };
    },
  };
}
