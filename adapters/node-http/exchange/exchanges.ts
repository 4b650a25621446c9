import { randomUUID } from 'node:crypto';
import { performance } from 'node:perf_hooks';
import {
  overloaded,
  unavailable,
  type ApiError,
  type HttpHandler,
  type Ledger,
  type Scheduler,
} from '../../../src/index.ts';
import {
  begin,
  isHealth,
  createAdmission,
  ownerOf,
  toLogPath,
  type HttpResponse,
  type PiecesResponse,
  type TextResponse,
} from '../../../src/transport-kit.ts';
import { toRefusal, toResponse } from './answer.ts';
import type { Connections } from '../connection/connections.ts';
import { createExchange, mustWait } from './exchange.ts';
import type { Connection, Exchange, HeadReader } from './exchange.ts';
import { toTickMs, type NodeServerLimits } from '../limits.ts';
import { createReading } from './reading.ts';
import { findAmbiguity } from './refusals.ts';
import type { Reports } from '../reports.ts';
import { createWriting } from './writing.ts';

/** The requests that a server has open: from the end of the head until the client has taken the answer. */
export interface Exchanges {
  /** Takes on a request that has just come. */
  open(connection: Connection, message: Pick<Exchange, 'req' | 'res' | 'awaitsContinue'>): void;
  /** Ends the connection with the answer to a request, and says why if its body is awaited. */
  breakOff(exchange: Exchange, error: Exchange['failure']): void;
  /** Ends what takes too long. Called once a tick. */
  sweep(): void;
}

export interface ExchangesOptions {
  readonly handler: HttpHandler;
  readonly limits: NodeServerLimits;
  readonly connections: Connections;
  readonly ledger: Ledger;
  readonly scheduler: Scheduler;
  readonly reports: Reports;
  readonly head: HeadReader;
  /** Whether the server takes nothing new. */
  readonly isClosing: () => boolean;
}

/** How many there must be before waiting is overload: few behind a slow one are better served late. */
const CROWD_MIN = 64;

/** Makes the exchanges of a server. */
export function createExchanges(options: ExchangesOptions): Exchanges {
  const { handler, limits, connections, ledger, scheduler, reports, head, isClosing } = options;
  const tickMs = toTickMs(limits);
  const handlerTicks = Math.ceil(limits.handlerTimeoutMs / tickMs);
  const answerTicks = Math.ceil(limits.answerTimeoutMs / tickMs);
  const admission = createAdmission({ scheduler, placesMax: limits.runningMax });
  const reading = createReading({
    ...{ limits, book, refusal, scheduler },
    pause: (exchange) => {
      admission.leavePlace(exchange.visitor);
      enter(exchange, 'reading');
    },
    resume: (exchange) => {
      // From here on the handler works, and its time counts.
      enter(exchange, 'running');
      return admission.takePlace(exchange.visitor);
    },
  });
  const { answer, end } = createWriting({ connections, reports, isClosing, book, refusal, enter });
  const tools = { admission, read: reading.read, head, isClosing };
  let ticks = 0;

  async function serve(exchange: Exchange): Promise<void> {
    // What Node has read of a connection is parsed first: who sends too much at once gets nothing for it.
    await Promise.resolve();
    if (exchange.connection.isFull) return refuseRest(exchange);
    if (mustWait(exchange)) await waitForEarlier(exchange);
    let response: TextResponse | PiecesResponse;
    try {
      response = await begin(await run(exchange));
    } catch (error) {
      response = toResponse(error, exchange);
    }
    exchange.handled = true;
    admission.leavePlace(exchange.visitor);
    beginNext(exchange.connection);
    if (!exchange.givenUp) answer(exchange, response);
    else if (exchange.ended) exchange.account?.release();
  }

  async function waitForEarlier(exchange: Exchange): Promise<void> {
    enter(exchange, 'waiting');
    await new Promise<void>((resolve) => (exchange.begin = resolve));
    exchange.begin = undefined;
    enter(exchange, 'running');
  }

  /** Begins those of a connection that have waited for one that is done. */
  function beginNext({ exchanges }: Connection): void {
    for (const exchange of exchanges) {
      if (exchange.begin !== undefined && !mustWait(exchange)) exchange.begin();
    }
  }

  /** Answers the first of the requests that a full connection sent at once, and drops the others. */
  function refuseRest(exchange: Exchange): void {
    exchange.handled = exchange.closes = true;
    if (exchange.connection.isRefused) return end(exchange);
    exchange.connection.isRefused = true;
    answer(exchange, shed(exchange));
  }

  function run(exchange: Exchange): HttpResponse | Promise<HttpResponse> {
    const ambiguity = findAmbiguity(exchange);
    if (ambiguity !== undefined) {
      connections.endWith(exchange);
      throw ambiguity;
    }
    if (isHealth(exchange)) return handler(exchange);
    return admission.takePlace(exchange.visitor) ? runInTurn(exchange) : shed(exchange);
  }

  async function runInTurn(exchange: Exchange): Promise<HttpResponse> {
    const cameAt = performance.now();
    let answered: HttpResponse | Promise<HttpResponse> | undefined;
    // This slice covers only the start; long work schedules its own slices.
    await admission.inTurn(exchange.visitor, exchange.signal, () => {
      const isLate = admission.taken > CROWD_MIN && performance.now() - cameAt > limits.delayMsMax;
      answered = isLate ? shed(exchange) : handler(exchange);
    });
    return await answered!;
  }

  /** Notes that the server cannot take something on now; what is answered then. */
  function refusal(): ApiError {
    noteOverload();
    return overloaded();
  }

  /**
   * Refuses a request before anything is done for it. The answer is the last of its connection: to refuse
   * thousands that come at once costs.
   */
  function shed(exchange: Exchange): TextResponse {
    noteOverload();
    connections.endWith(exchange);
    return toRefusal(exchange);
  }

  function noteOverload(): void {
    reports.note('overloaded: requests were refused', { running: admission.taken, booked: ledger.bytes });
  }

  function enter(exchange: Exchange, phase: Exchange['phase']): void {
    exchange.phase = phase;
    exchange.sinceTick = ticks;
  }

  function book(exchange: Exchange, bytes: number, owner = ownerOf(exchange.visitor)): boolean {
    return (exchange.account ??= ledger.account(owner)).book(bytes);
  }

  /** Answers for a handler that does not; when it comes back, its answer is dropped. */
  function giveUp(exchange: Exchange): void {
    const requestId = randomUUID();
    const path = toLogPath(exchange.target);
    reports.note('request timed out', { requestId, method: exchange.method, path, status: 503 });
    exchange.givenUp = exchange.signal.aborted = true;
    beginNext(exchange.connection);
    if (exchange.handled) exchange.connection.socket.resetAndDestroy();
    else answer(exchange, toResponse(unavailable(undefined), exchange, requestId));
  }

  function check(exchange: Exchange): void {
    const age = ticks - exchange.sinceTick;
    if (exchange.phase === 'running' && age > handlerTicks) giveUp(exchange);
    if (exchange.phase !== 'writing') return;
    if (age > answerTicks) exchange.connection.socket.destroy();
    if (exchange.connection.socket.destroyed) end(exchange);
  }

  return {
    open(connection, message) {
      const exchange = createExchange(connection, message, ticks, tools);
      connection.exchanges.push(exchange);
      void serve(exchange);
    },
    breakOff(exchange, error) {
      exchange.closes = true;
      if (exchange.req.complete || error === undefined) return;
      exchange.failure = error;
      exchange.fail?.(error);
    },
    sweep() {
      ticks += 1;
      reading.sweep();
      for (const { exchanges } of connections.all()) {
        for (const exchange of [...exchanges]) check(exchange);
      }
    },
  };
}
