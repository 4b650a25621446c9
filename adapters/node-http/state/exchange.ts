/** The state transitions of a request, one function each. */
import type { ApiError, MemoryBudget, Reservation } from '../../../src/index.ts';
import type { Exchange, ExchangePhase } from './states.ts';

type Changeable = { -readonly [K in keyof Exchange]: Exchange[K] } & {
  readonly signal: { aborted: boolean };
};

/** Phases without data are made once: most requests need no other. */
export const RUNNING: ExchangePhase = { at: 'running' };
const PRODUCING: ExchangePhase = { at: 'producing' };
const WRITING: ExchangePhase = { at: 'writing', for: 'done', goOn: undefined };
const WRITING_FOR_LATE: ExchangePhase = { at: 'writing', for: 'late handler', goOn: undefined };
const OVER: ExchangePhase = { at: 'over', for: 'done' };
const OVER_FOR_LATE: ExchangePhase = { at: 'over', for: 'late handler' };

function enter(exchange: Exchange, phase: ExchangePhase): void {
  const own = exchange as Changeable;
  own.phase = phase;
  own.sinceTick = exchange.clock.ticks;
}

/** Records how long the request waited for its first turn, in milliseconds. */
export function noteWait(exchange: Exchange, ms: number): void {
  (exchange as Changeable).waitedMs = ms;
}

/** Records how many bytes of the body were read. */
export function noteBytesIn(exchange: Exchange, bytes: number): void {
  (exchange as Changeable).bytesIn = bytes;
}

/** Waits until an earlier request on the connection is done. */
export function waitInLine(exchange: Exchange): Promise<void> {
  return new Promise((resolve) => {
    const begin = () => {
      enter(exchange, RUNNING);
      resolve();
    };
    enter(exchange, { at: 'waiting', begin });
  });
}

/** Records that the handler waits for the rest of the body; `fail` ends that wait with an error. */
export function startReading(exchange: Exchange, fail: (error: ApiError) => void): void {
  enter(exchange, { at: 'reading', fail });
}

/** Ends the wait for the body: from here on, the handler's time counts. */
export function stopReading(exchange: Exchange): void {
  enter(exchange, RUNNING);
}

/** Fails the wait for the body; does nothing for a request that is not waiting. */
export function failReading({ phase }: Exchange, error: ApiError): void {
  if (phase.at === 'reading') phase.fail(error);
}

/** Records that the client gets `100 Continue`; false if the client is not waiting for that. */
export function letBodyCome(exchange: Exchange): boolean {
  if (exchange.body !== 'awaits 100') return false;
  (exchange as Changeable).body = 'coming';
  return true;
}

/** Records that the whole body was read. */
export function takeBody(exchange: Exchange): void {
  (exchange as Changeable).body = 'taken';
}

/** Records that the rest of the body will never arrive, and fails a wait for it. */
export function loseBody(exchange: Exchange, error: ApiError): void {
  if (exchange.body === 'taken') return;
  (exchange as Changeable).body = error;
  failReading(exchange, error);
}

/** Records that the client is to take the answer, or a piece of it, from now on. */
export function startWriting(exchange: Exchange): void {
  const { phase } = exchange;
  if (phase.at === 'over') return;
  enter(exchange, phase.at === 'writing' ? phase : WRITING);
}

/** Records that the handler makes the next piece of the answer; false if the request is over. */
export function startProducing(exchange: Exchange): boolean {
  if (exchange.phase.at === 'over') return false;
  enter(exchange, PRODUCING);
  return true;
}

/** Calls `goOn` once the client disconnects or the request ends; at once if no answer is being written. */
export function awaitClient(exchange: Exchange, goOn: () => void): void {
  const { phase } = exchange;
  if (phase.at === 'writing') (exchange as Changeable).phase = { ...phase, goOn };
  else goOn();
}

/** Aborts a handler that takes too long. The server answers, and the handler's own answer is dropped. */
export function giveUpHandler(exchange: Exchange): void {
  (exchange as Changeable).signal.aborted = true;
  enter(exchange, WRITING_FOR_LATE);
}

/** Records that the handler is done; false if its answer comes too late. */
export function handlerIsDone(exchange: Exchange): boolean {
  const { phase } = exchange;
  if (phase.at !== 'writing' && phase.at !== 'over') return true;
  (exchange as Changeable).phase = { ...phase, for: 'done' };
  if (phase.at === 'over') exchange.reservation?.release();
  return false;
}

/** Makes the answer the last one of its connection. */
export function endsConnection(exchange: Exchange): void {
  (exchange as Changeable).isLast = true;
}

/** Aborts the work for a request whose client has disconnected. */
export function abandon(exchange: Exchange): void {
  (exchange as Changeable).signal.aborted = true;
  if (exchange.phase.at === 'writing') exchange.phase.goOn?.();
}

/** Ends a request. Its memory is released once its handler is done as well. */
export function finish(exchange: Exchange): void {
  const { phase } = exchange;
  const isLate = phase.at === 'writing' && phase.for === 'late handler';
  (exchange as Changeable).phase = isLate ? OVER_FOR_LATE : OVER;
  if (phase.at === 'writing') phase.goOn?.();
  if (!isLate) exchange.reservation?.release();
}

/** The memory reservation of a request; its first caller says which owner it is for. */
export function reservationOf(exchange: Exchange, memory: MemoryBudget, owner: string): Reservation {
  return ((exchange as Changeable).reservation ??= memory.reservation(owner));
}

/** Whether the answer has begun, either the handler's or the server's. */
function isAnswered({ phase }: Exchange): boolean {
  return phase.at === 'writing' || phase.at === 'producing' || phase.at === 'over';
}

/** The safe methods, which change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * Whether a request must wait for an earlier one on its connection. Requests may run concurrently only if all
 * of them have safe methods (RFC 9112, 9.3.2). Otherwise, a batch could be stored before an earlier one.
 */
export function mustWait(exchange: Exchange): boolean {
  const isSafe = SAFE_METHODS.has(exchange.method);
  for (const earlier of exchange.connection.exchanges) {
    if (earlier === exchange) return false;
    if (isAnswered(earlier)) continue;
    if (!isSafe || !SAFE_METHODS.has(earlier.method)) return true;
  }
  return false;
}
