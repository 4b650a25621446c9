import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Reservation, ApiError, Signal } from '../../../src/index.ts';
import type { HttpRequest, IndexProgress, Visitor } from '../../../src/transport-kit.ts';

/**
 * The phase of a connection. The functions of `state/connection.ts` make its transitions:
 *
 *     open <-> skipping -> leaving -> ending
 */
export type ConnectionPhase =
  /** Its client may send another request. */
  | { readonly at: 'open' }
  /** The server discards the rest of an answered request; then the connection is open again. */
  | { readonly at: 'skipping' }
  /** A pending answer is the last one, so the client may not send another request. */
  | { readonly at: 'leaving' }
  /** The server has ended its side. The client has `ticksLeft` ticks to read what was sent. */
  | { readonly at: 'ending'; ticksLeft: number; readonly bytesReadMax: number };

/** One client's connection. Only `state/connection.ts` changes it. */
export interface Connection {
  readonly socket: Socket;
  /** The address of the client or of the proxy in front of it. */
  readonly address: string;
  /** The network of that address. */
  readonly network: string;
  /** The scheme of its requests. */
  readonly scheme: 'http' | 'https';
  /** Whether it comes from a trusted proxy, whose requests name their clients. */
  readonly isProxy: boolean;
  /** The requests without an answer, or whose answer the client has not taken, in the order of arrival. */
  readonly exchanges: readonly Exchange[];
  readonly phase: ConnectionPhase;
  /** Whether the client sent too many requests at once, and whether it has an answer that says so. */
  readonly flood: 'none' | 'untold' | 'told';
  /** When the connection last became idle, in milliseconds of `performance.now`. */
  readonly restsSince: number;
}

/**
 * The phase of a request. The functions of `state/exchange.ts` make its transitions:
 *
 *     running <-> waiting
 *     running <-> reading
 *     running, reading -> writing <-> producing
 *     any -> over
 */
export type ExchangePhase =
  /** The request waits for an earlier one on its connection; `begin` ends that. */
  | { readonly at: 'waiting'; readonly begin: () => void }
  /** The handler works on it. */
  | { readonly at: 'running' }
  /** The handler waits for the body; `fail` ends that. */
  | { readonly at: 'reading'; readonly fail: (error: ApiError) => void }
  /** The handler makes the next piece of the answer. */
  | { readonly at: 'producing' }
  /** The client is taking the answer; `goOn`, where present, is called when that ends. */
  | { readonly at: 'writing'; readonly for: AnsweredFor; readonly goOn: (() => void) | undefined }
  /** The client has taken the answer or has disconnected. */
  | { readonly at: 'over'; readonly for: AnsweredFor };

/** Whether the handler is done, or the server has answered for a late handler that still runs. */
export type AnsweredFor = 'done' | 'late handler';

/** The state of a request's body. An error gives the reason why the rest will never arrive. */
export type BodyState = 'awaits 100' | 'coming' | 'taken' | ApiError;

/** Tells the handler whether its answer is wanted, and takes how far the index is that it waits for. */
export interface ExchangeSignal extends Signal {
  readonly progress: IndexProgress | undefined;
}

/** One request and its answer. Only `state/exchange.ts` changes it. */
export interface Exchange extends HttpRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly connection: Connection;
  /** The network and the tenant that the request counts for. */
  readonly visitor: Visitor;
  readonly waitedMs: number | undefined;
  readonly bytesIn: number;
  readonly signal: ExchangeSignal;
  readonly clock: TickClock;
  readonly phase: ExchangePhase;
  /** The tick at which the phase began. */
  readonly sinceTick: number;
  readonly body: BodyState;
  /** Whether the answer ends the connection. */
  readonly isLast: boolean;
  /** The request's memory reservation; undefined until it needs memory. */
  readonly reservation: Reservation | undefined;
}

/** Counts the sweeps of a server: its unit of time for timeouts. */
export interface TickClock {
  ticks: number;
}
