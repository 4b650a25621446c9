import { createLimit } from '../../bounds/limit.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { hasNothing } from '../../engine/waiting.ts';
import type { HttpRequest } from '../message.ts';
import { parsePosition, toPositionText, type ArrivalPosition, type Arrivals } from '../../query/arrivals.ts';
import { parseTailBody, type TailQuery } from '../../query/parse-query.ts';
import { pageOf } from '../../query/stored-page.ts';
import { NO_LABELS, type Meter } from '../../base/metrics.ts';
import type { ParserOf } from '../memo.ts';
import type { Asked, Question } from '../operation.ts';
import type { WritePage } from '../page-text.ts';

interface TailTools {
  readonly parserOf: ParserOf;
  readonly operations: EventOperations;
  readonly meter: Meter;
  readonly writePage: WritePage;
}

/** The header of a request and of its answer. */
const POSITION_HEADER = 'X-Tail-Position';

/** Finds the seconds that the client is willing to wait (`Prefer: wait=…`, RFC 7240). */
const WAIT_PATTERN = /(?:^|[,;\s])wait ?= ?"?(\d{1,4})(?!\d)/i;

/**
 * How many answers may wait at once, in fair shares. Any further answer is sent at once, even without events.
 */
const WAITING_MAX = 250;

interface AskedTail extends TailQuery {
  readonly position: ArrivalPosition | undefined;
}

/** Makes the operation that answers events as they arrive. */
export function createTail({ operations, meter, writePage, parserOf }: TailTools) {
  const waiting = createLimit(WAITING_MAX);
  meter.gauge('event_query_tail_waiting', NO_LABELS, () => waiting.taken);

  /**
   * Waits for events where the limit of waiting answers has room, and else looks once. A single look that
   * finds nothing takes no rate limit token.
   */
  async function find({ tenantId, asked, take }: Asked<AskedTail>, request: HttpRequest): Promise<Arrivals> {
    const { query, position } = asked;
    const { signal, isClosing: isOver } = request;
    if (!waiting.take([tenantId])) {
      const found = await operations.since(tenantId, query, position, signal);
      if (!hasNothing(found)) await take();
      return found;
    }
    try {
      await take();
      const seconds = WAIT_PATTERN.exec(request.header('prefer') ?? '')?.[1];
      const waitMs = seconds === undefined ? undefined : Number(seconds) * 1000;
      return await operations.waitSince(tenantId, query, position, { signal, waitMs, isOver });
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
        return { ...parserOf(parseTailBody)(text), position };
      };
      const admitted = await authorize(call, read, { isFree: true, ofAll: () => 'A tail' });
      const { tenantId, asked, confirm } = admitted;
      const found = await find(admitted, request);
      // The answer may have waited, and the key may have ended meanwhile.
      await confirm();
      call.notes.rows = found.events.length;
      const body = await writePage(tenantId, pageOf(found.events), asked.include, request.signal);
      call.headers[POSITION_HEADER] = toPositionText(found.position);
      return { status: 200, headers: call.headers, body };
    },
  } satisfies Record<string, Question>;
}
