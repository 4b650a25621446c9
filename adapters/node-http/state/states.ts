import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Reservation, ApiError } from '../../../src/index.ts';
import type { HttpRequest, Visitor } from '../../../src/transport-kit.ts';

/**
 * Where a connection stands. Its steps are those of `state/connection.ts`:
 *
 *     open <-> skipping -> leaving -> ending
 */
export type ConnectionPhase =
  /** Its client may send another request. */
  | { readonly at: 'open' }
  /** The rest of an answered request is let through unseen, and then it is open again. */
  | { readonly at: 'skipping' }
  /** The answer that ends it is due, so that another request would be one too many. */
  | { readonly at: 'leaving' }
  /** It was ended; its client has time to read what was sent, and may send so many bytes in all. */
  | { readonly at: 'ending'; ticksLeft: number; readonly bytesReadMax: number };

/** One client's connection. Only `state/connection.ts` changes it. */
export interface Connection {
  readonly socket: Socket;
  /** The client's address, or that of the proxy before it. */
  readonly address: string;
  /** The network of that address, which answers for the connection. */
  readonly network: string;
  /** The requests that have no answer yet, or whose answer the client has not taken, in their order. */
  readonly exchanges: readonly Exchange[];
  readonly phase: ConnectionPhase;
  /** Whether it sent more requests at once than are taken, and whether it was told so. */
  readonly flood: 'none' | 'untold' | 'told';
  /** Since when no request is open on it, in milliseconds. */
  readonly restsSince: number;
}

/**
 * Where a request stands. Its steps are those of `state/exchange.ts`:
 *
 *     running <-> waiting
 *     running <-> reading
 *     running, reading -> writing <-> producing
 *     any -> over
 */
export type ExchangePhase =
  /** One before it on the connection is worked on; `begin` lets it go on. */
  | { readonly at: 'waiting'; readonly begin: () => void }
  /** The handler works on it. */
  | { readonly at: 'running' }
  /** The handler waits for the body; `fail` ends that. */
  | { readonly at: 'reading'; readonly fail: (error: ApiError) => void }
  /** The handler makes the next piece of the answer. */
  | { readonly at: 'producing' }
  /** The client takes the answer; where something waits for that, `goOn` is called then. */
  | { readonly at: 'writing'; readonly for: AnsweredFor; readonly goOn: (() => void) | undefined }
  /** The client has taken the answer, or has gone. */
  | { readonly at: 'over'; readonly for: AnsweredFor };

/** Who answers: the handler, which is done, or the server for one that took too long and still works. */
export type AnsweredFor = 'done' | 'late handler';

/** Where the body of a request stands: an error says why the rest of it will never come. */
export type BodyState = 'awaits 100' | 'coming' | 'taken' | ApiError;

/** One request and its answer. Only `state/exchange.ts` changes it. */
export interface Exchange extends HttpRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly connection: Connection;
  /** Who it comes from, and who it is for. */
  readonly visitor: Visitor;
  readonly signal: { readonly aborted: boolean };
  readonly clock: TickClock;
  readonly phase: ExchangePhase;
  /** The tick at which the phase began. */
  readonly sinceTick: number;
  readonly body: BodyState;
  /** Whether the connection ends with its answer. */
  readonly isLast: boolean;
  /** The memory that it holds; undefined until it holds some. */
  readonly reservation: Reservation | undefined;
}

/** Counts the looks of a server at its time limits. */
export interface TickClock {
  ticks: number;
}
