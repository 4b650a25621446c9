import { createLimit } from '../../bounds/limit.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { aborted } from '../../base/errors.ts';
import type { HttpRequest } from '../message.ts';
import { parsePosition, toPositionText, type ArrivalPosition, type Arrivals } from '../../query/arrivals.ts';
import type { TailQuery } from '../../query/parse-query.ts';
import { pageOf } from '../../query/stored-page.ts';
import { NO_LABELS, type Meter } from '../../base/metrics.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { BodyParsers } from '../memo.ts';
import type { Asked, Question } from '../operation.ts';
import type { WritePage } from '../page-text.ts';

interface TailTools extends Pick<BodyParsers, 'toTailQuery'> {
  readonly operations: EventOperations;
  readonly runtime: Pick<Runtime, 'sleep'>;
  readonly meter: Meter;
  readonly writePage: WritePage;
}

/** The header of a request and of its answer. */
const POSITION_HEADER = 'X-Tail-Position';

/** The milliseconds between two looks of a waiting answer, and the most looks it takes: 25 s in all. */
const LOOK_MS = 250;
const LOOKS_MAX = 100;
/** Finds the seconds that the client is willing to wait (`Prefer: wait=…`, RFC 7240). */
const WAIT_PATTERN = /(?:^|[,;\s])wait ?= ?"?(\d{1,4})(?!\d)/i;

/**
 * How many answers may wait at once, in fair shares. Any further answer is sent at once, even without events.
 */
const WAITING_MAX = 250;

interface AskedTail extends TailQuery {
  readonly position: ArrivalPosition | undefined;
}

/** Looks for events that arrived after a position. */
type Look = (position: ArrivalPosition | undefined) => Promise<Arrivals>;

/**
 * Whether there is nothing to answer yet. A look that stopped early (`more`) has a new position to answer.
 */
const hasNothing = ({ events, more }: Arrivals) => events.length === 0 && more !== true;

/** Makes the operation that answers events as they arrive. */
export function createTail({ operations, runtime, meter, writePage, toTailQuery }: TailTools) {
  const waiting = createLimit(WAITING_MAX);
  meter.gauge('event_query_tail_waiting', NO_LABELS, () => waiting.taken);

  /** Looks until events arrive, the time is over, or the server is shutting down. */
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
      // A store may ignore the signal, so it is checked here.
      if (signal.aborted) throw aborted();
      found = await look(found.position);
    }
    return found;
  }

  /**
   * Looks repeatedly where the limit of waiting answers has room, else once. A single look that finds nothing
   * takes no rate limit token.
   */
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
        return { ...toTailQuery(text), position };
      };
      const admitted = await authorize(call, read, { isFree: true });
      const { tenantId, asked, confirm } = admitted;
      const look: Look = (position) => operations.since(tenantId, asked.query, position, request.signal);
      const found = await find(look, admitted, request);
      // The answer may have waited, and the key may have ended meanwhile.
      await confirm();
      call.notes.rows = found.events.length;
      const body = await writePage(tenantId, pageOf(found.events), asked.include, request.signal);
      call.headers[POSITION_HEADER] = toPositionText(found.position);
      return { status: 200, headers: call.headers, body };
    },
  } satisfies Record<string, Question>;
}
