/** Every step of a request, a function each. */
import type { Reservation, ApiError } from '../../../src/index.ts';
import type { Exchange, ExchangePhase } from './states.ts';

type Changeable = { -readonly [K in keyof Exchange]: Exchange[K] } & {
  readonly signal: { aborted: boolean };
};

/** Phases that hold nothing are made once: most requests make no other. */
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

/** Waits for one before it on its connection. */
export function waitInLine(exchange: Exchange): Promise<void> {
  return new Promise((resolve) => {
    const begin = () => {
      enter(exchange, RUNNING);
      resolve();
    };
    enter(exchange, { at: 'waiting', begin });
  });
}

/** The handler waits for the rest of the body. */
export function startReading(exchange: Exchange, fail: (error: ApiError) => void): void {
  enter(exchange, { at: 'reading', fail });
}

/** It waits no more: from here on the handler works, and its time counts. */
export function stopReading(exchange: Exchange): void {
  enter(exchange, RUNNING);
}

/** Ends the reading of the body with an error; nothing for a request that waits for none. */
export function failReading({ phase }: Exchange, error: ApiError): void {
  if (phase.at === 'reading') phase.fail(error);
}

/** The client was told to send the body that it holds back; false where it holds none back. */
export function letBodyCome(exchange: Exchange): boolean {
  if (exchange.body !== 'awaits 100') return false;
  (exchange as Changeable).body = 'coming';
  return true;
}

/** The whole body was taken. */
export function takeBody(exchange: Exchange): void {
  (exchange as Changeable).body = 'taken';
}

/** The rest of the body will never come. */
export function loseBody(exchange: Exchange, error: ApiError): void {
  if (exchange.body === 'taken') return;
  (exchange as Changeable).body = error;
  failReading(exchange, error);
}

/** The answer, or a piece of it, is being taken from now on. */
export function startWriting(exchange: Exchange): void {
  const { phase } = exchange;
  if (phase.at === 'over') return;
  enter(exchange, phase.at === 'writing' ? phase : WRITING);
}

/** The client has taken a piece, and the handler makes the next; false where the request is over. */
export function startProducing(exchange: Exchange): boolean {
  if (exchange.phase.at === 'over') return false;
  enter(exchange, PRODUCING);
  return true;
}

/** `goOn` waits until the client has taken what was written; it is called at once where that has gone. */
export function awaitClient(exchange: Exchange, goOn: () => void): void {
  const { phase } = exchange;
  if (phase.at === 'writing') (exchange as Changeable).phase = { ...phase, goOn };
  else goOn();
}

/** The server answers for a handler that takes too long, whose own answer is dropped. */
export function giveUpHandler(exchange: Exchange): void {
  (exchange as Changeable).signal.aborted = true;
  enter(exchange, WRITING_FOR_LATE);
}

/** The handler is done. Whether its answer is wanted: a late one's is not. */
export function handlerIsDone(exchange: Exchange): boolean {
  const { phase } = exchange;
  if (phase.at !== 'writing' && phase.at !== 'over') return true;
  (exchange as Changeable).phase = { ...phase, for: 'done' };
  if (phase.at === 'over') exchange.reservation?.release();
  return false;
}

/** The connection ends with its answer. */
export function endsConnection(exchange: Exchange): void {
  (exchange as Changeable).isLast = true;
}

/** Nobody waits for it any more, so that nobody needs to work for it. */
export function abandon(exchange: Exchange): void {
  (exchange as Changeable).signal.aborted = true;
  if (exchange.phase.at === 'writing') exchange.phase.goOn?.();
}

/** It is over. Its memory is given back when its handler is done as well. */
export function finish(exchange: Exchange): void {
  const { phase } = exchange;
  const isLate = phase.at === 'writing' && phase.for === 'late handler';
  (exchange as Changeable).phase = isLate ? OVER_FOR_LATE : OVER;
  if (phase.at === 'writing') phase.goOn?.();
  if (!isLate) exchange.reservation?.release();
}

/** The account of its memory, which is made when it holds some. */
export function accountOf(exchange: Exchange, make: () => Reservation): Reservation {
  return ((exchange as Changeable).reservation ??= make());
}

/** Whether its answer is there, by whomever. */
function isAnswered({ phase }: Exchange): boolean {
  return phase.at === 'writing' || phase.at === 'producing' || phase.at === 'over';
}

/** Methods that change nothing (RFC 9110, 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE']);

/**
 * Whether a request has to wait for one before it on its connection: they may be worked on at once only where
 * all of them have safe methods (RFC 9112, 9.3.2), or a batch could be stored before one that came earlier.
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
