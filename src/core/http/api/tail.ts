import { createLimit } from '../../bounds/limit.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { aborted } from '../../base/errors.ts';
import type { HttpRequest } from '../message.ts';
import { parsePosition, toPositionText, type ArrivalPosition, type Arrivals } from '../../query/arrivals.ts';
import type { EventQuery } from '../../query/event-query.ts';
import { parseCountBody } from '../../query/parse-query.ts';
import { pageOf } from '../../query/stored-page.ts';
import type { Runtime } from '../../base/runtime.ts';
import { createMemo } from '../memo.ts';
import type { Asked, Question } from '../operation.ts';
import type { WritePage } from '../page-text.ts';
import { parseJson } from '../request.ts';

interface TailTools {
  readonly operations: EventOperations;
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

/** How many answers may wait at once, in fair shares; any other comes at once, with events or without. */
const WAITING_MAX = 250;

interface AskedTail {
  readonly query: EventQuery;
  readonly position: ArrivalPosition | undefined;
}

/** Looks for what arrived behind a position. */
type Look = (position: ArrivalPosition | undefined) => Promise<Arrivals>;

/** Whether there is nothing to answer yet: who looked at much without a match says where to go on. */
const hasNothing = ({ events, more }: Arrivals) => events.length === 0 && more !== true;

/** What arrives, as it arrives. */
export function createTail({ operations, runtime, writePage }: TailTools) {
  const toEventQuery = createMemo((text) => parseCountBody(parseJson(text)));
  const waiting = createLimit(WAITING_MAX);

  /** Looks until there is something, or there is no use in waiting any longer. */
  async function waitFor(
    look: Look,
    position: ArrivalPosition | undefined,
    { header, signal, isClosing }: Pick<HttpRequest, 'header' | 'signal' | 'isClosing'>,
  ): Promise<Arrivals> {
    const seconds = WAIT_PATTERN.exec(header('prefer') ?? '')?.[1] ?? Infinity;
    const most = Math.min(LOOKS_MAX, (Number(seconds) * 1000) / LOOK_MS);
    let found = await look(position);
    for (let looks = 0; hasNothing(found) && looks < most; looks++) {
      if (runtime.sleep === undefined || isClosing?.() === true) break;
      await runtime.sleep(LOOK_MS);
      // A store need not heed the signal.
      if (signal.aborted) throw aborted();
      found = await look(found.position);
    }
    return found;
  }

  /** Looks with a permit to wait, or once: whoever gets neither a permit nor an event has paid nothing. */
  async function find(look: Look, { tenantId, asked, take }: Asked<AskedTail>, request: HttpRequest) {
    if (!waiting.take([tenantId])) {
      const found = await look(asked.position);
      if (!hasNothing(found)) await take();
      return found;
    }
    try {
      await take();
      return await waitFor(look, asked.position, request);
    } finally {
      waiting.leave([tenantId]);
    }
  }

  return {
    tail: async (call, authorize) => {
      const { request } = call;
      const read = (text: string): AskedTail => {
        operations.requireArrivals();
        const sent = request.header(POSITION_HEADER.toLowerCase());
        const position = sent === undefined ? undefined : parsePosition(sent, POSITION_HEADER);
        return { query: toEventQuery(text), position };
      };
      const admitted = await authorize(call, read, { isFree: true });
      const { tenantId, asked, confirm } = admitted;
      const look: Look = (position) => operations.since(tenantId, asked.query, position, request.signal);
      const found = await find(look, admitted, request);
      // It may have waited, and the key may have ended meanwhile.
      await confirm();
      const body = await writePage(tenantId, pageOf(found.events), request.signal);
      call.headers[POSITION_HEADER] = toPositionText(found.position);
      return { status: 200, headers: call.headers, body };
    },
  } satisfies Record<string, Question>;
}
