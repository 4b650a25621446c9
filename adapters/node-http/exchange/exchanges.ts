import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import {
  overloaded,
  unavailable,
  type ApiError,
  type HttpHandler,
  type MemoryBudget,
  type Scheduler,
} from '../../../src/index.ts';
import {
  begin,
  indexing,
  isHealth,
  createAdmission,
  ownerOf,
  toLogPath,
  type HttpResponse,
  type Meter,
  type PiecesResponse,
  type TextResponse,
  type Tracer,
} from '../../../src/transport-kit.ts';
import { toRefusal, toResponse } from './answer.ts';
import type { Connections } from '../connection/connections.ts';
import { toTickMs, type NodeServerLimits } from '../limits/limits.ts';
import type { Reports } from '../limits/reports.ts';
import { addExchange, takeFloodAnswer } from '../state/connection.ts';
import {
  abandon,
  endsConnection,
  giveUpHandler,
  handlerIsDone,
  loseBody,
  mustWait,
  noteWait,
  stopReading,
  waitInLine,
  reservationOf,
} from '../state/exchange.ts';
import type { Connection, Exchange } from '../state/states.ts';
import type { IsTrusted } from '../proxy/trusted.ts';
import { createExchange, type HeadReader, type IncomingPair } from './exchange.ts';
import { createReading } from './reading.ts';
import { findAmbiguity } from './refusals.ts';
import { createWriting } from './writing.ts';

/** The open requests of a server: each from the end of its head until the client has taken the answer. */
export interface Exchanges {
  /** Starts to serve a request that has just arrived. */
  open(connection: Connection, message: IncomingPair): void;
  /**
   * Ends the connection with the answer to a request. An `error` fails the request if its body has not
   * arrived completely.
   */
  breakOff(exchange: Exchange, error: ApiError | undefined): void;
  /** Ends the requests that take too long. The server calls it once per tick. */
  sweep(): void;
}

export interface ExchangesOptions {
  readonly handler: HttpHandler;
  readonly limits: NodeServerLimits;
  readonly connections: Connections;
  readonly memory: MemoryBudget;
  readonly scheduler: Scheduler;
  readonly meter: Meter;
  readonly tracer: Tracer | undefined;
  readonly reports: Reports;
  readonly head: HeadReader;
  /** Called with each request, in case that a proxy which is not trusted has passed it on. */
  readonly hintAtProxy: (exchange: Exchange) => void;
  /** Whether an address is that of a proxy whose word on the client's address counts. */
  readonly isTrusted: IsTrusted;
  /** Whether the server accepts no new requests. */
  readonly isClosing: () => boolean;
  /** Whether clients should leave, so that each answer is the last of its connection. */
  readonly isLeaving: () => boolean;
}

/**
 * With at most this many requests, none is refused as late: a few after a slow one are better served late.
 */
const CROWD_MIN = 64;

/** Makes the exchanges of a server. */
export function createExchanges(options: ExchangesOptions): Exchanges {
  const { handler, limits, connections, memory, scheduler, meter, tracer, reports } = options;
  const { head, hintAtProxy, isTrusted, isClosing, isLeaving } = options;
  const tickMs = toTickMs(limits);
  const handlerTicks = Math.ceil(limits.handlerTimeoutMs / tickMs);
  const answerTicks = Math.ceil(limits.answerTimeoutMs / tickMs);
  const admission = createAdmission({ scheduler, placesMax: limits.runningMax });
  const reading = createReading({
    ...{ limits, book, refusal, scheduler },
    pause: (exchange) => admission.leavePlace(exchange.visitor),
    resume: (exchange) => {
      stopReading(exchange);
      return admission.takePlace(exchange.visitor);
    },
  });
  const { answer, end } = createWriting({
    ...{ connections, reports, isLeaving, book },
    refusal: () => {
      // The handler, which counts the refusals of its own, has already returned.
      meter.count('event_query_requests_refused_total', { reason: 'memory' });
      return refusal();
    },
  });
  const clock = { ticks: 0 };
  const tools = { admission, read: reading.read, head, isTrusted, isClosing, clock };

  async function serve(exchange: Exchange, ambiguity: ApiError | undefined): Promise<void> {
    // Node first parses all that it has read from the connection: a flood is known before any of it is
    // served.
    await Promise.resolve();
    if (exchange.connection.flood !== 'none') return refuseRest(exchange);
    if (mustWait(exchange)) await waitInLine(exchange);
    let response: TextResponse | PiecesResponse;
    try {
      response = await begin(await run(exchange, ambiguity));
    } catch (error) {
      response = toResponse(error, exchange);
    }
    admission.leavePlace(exchange.visitor);
    if (handlerIsDone(exchange)) answer(exchange, response);
    else if ('rest' in response) void response.rest.return?.();
    beginNext(exchange.connection);
  }

  /** Begins the requests of a connection that no longer have to wait for an earlier one. */
  function beginNext({ exchanges }: Connection): void {
    for (const exchange of exchanges) {
      if (exchange.phase.at === 'waiting' && !mustWait(exchange)) exchange.phase.begin();
    }
  }

  /** Answers the first of the requests that a full connection sent at once, and drops the others. */
  function refuseRest(exchange: Exchange): void {
    endsConnection(exchange);
    if (takeFloodAnswer(exchange.connection)) answer(exchange, shed(exchange, 'connections'));
    else end(exchange);
  }

  function run(exchange: Exchange, ambiguity: ApiError | undefined): HttpResponse | Promise<HttpResponse> {
    if (ambiguity !== undefined) throw ambiguity;
    if (isHealth(exchange)) return handler(exchange);
    return admission.takePlace(exchange.visitor) ? runInTurn(exchange) : shed(exchange, 'places');
  }

  async function runInTurn(exchange: Exchange): Promise<HttpResponse> {
    const cameAt = performance.now();
    let answered: HttpResponse | Promise<HttpResponse> | undefined;
    // A request whose tenant is unknown is begun by another one's job.
    const handle = tracer === undefined ? handler : tracer.bind(handler);
    // This slice covers only the start; long work schedules its own slices.
    await admission.inTurn(exchange.visitor, exchange.signal, () => {
      const waitedMs = performance.now() - cameAt;
      noteWait(exchange, waitedMs);
      const isLate = admission.taken > CROWD_MIN && waitedMs > limits.delayMsMax;
      answered = isLate ? shed(exchange, 'late') : handle(exchange);
    });
    return await answered!;
  }

  /** Reports an overload, and makes the error that answers it. */
  function refusal(): ApiError {
    noteOverload();
    return overloaded();
  }

  /**
   * Refuses a request before any work is done for it. The answer ends the connection, because even refusing
   * thousands of requests has a cost.
   */
  function shed(exchange: Exchange, reason: 'connections' | 'places' | 'late'): TextResponse {
    meter.count('event_query_requests_refused_total', { reason });
    noteOverload();
    connections.endWith(exchange);
    return toRefusal(exchange);
  }

  function noteOverload(): void {
    reports.note('overloaded: requests were refused', { running: admission.taken, booked: memory.bytes });
  }

  function book(exchange: Exchange, bytes: number, owner = ownerOf(exchange.visitor)): boolean {
    return reservationOf(exchange, memory, owner).reserve(bytes);
  }

  /** Answers for a handler that takes too long. The handler's own answer is dropped later. */
  function giveUp(exchange: Exchange): void {
    const requestId = exchange.requestId ?? randomUUID();
    const path = toLogPath(exchange.target);
    const { progress } = exchange.signal;
    const isBehind = progress !== undefined && progress.indexed < progress.of;
    const fields = { requestId, method: exchange.method, path, status: 503 };
    reports.note('request timed out', isBehind ? { ...fields, ...progress } : fields);
    if (exchange.phase.at === 'producing') {
      abandon(exchange);
      exchange.connection.socket.resetAndDestroy();
      return;
    }
    giveUpHandler(exchange);
    const error = isBehind ? indexing(progress) : unavailable(undefined);
    answer(exchange, toResponse(error, exchange, requestId));
    beginNext(exchange.connection);
  }

  function check(exchange: Exchange): void {
    const { at } = exchange.phase;
    const age = clock.ticks - exchange.sinceTick;
    if (at === 'writing') {
      if (age > answerTicks) exchange.connection.socket.destroy();
      if (exchange.connection.socket.destroyed) end(exchange);
    } else if ((at === 'running' || at === 'producing') && age > handlerTicks) giveUp(exchange);
  }

  return {
    open(connection, message) {
      const exchange = createExchange(connection, message, tools);
      addExchange(connection, exchange);
      hintAtProxy(exchange);
      // Node may have read more behind a request whose end is in doubt. None of it may become a request.
      const ambiguity = findAmbiguity(exchange);
      if (ambiguity !== undefined) connections.endWith(exchange);
      void serve(exchange, ambiguity);
    },
    breakOff(exchange, error) {
      endsConnection(exchange);
      if (error !== undefined && !exchange.req.complete) loseBody(exchange, error);
    },
    sweep() {
      clock.ticks += 1;
      reading.sweep();
      for (const { exchanges } of connections.all()) {
        for (const exchange of [...exchanges]) check(exchange);
      }
    },
  };
}
