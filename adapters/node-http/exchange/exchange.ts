import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Account, ApiError } from '../../../src/index.ts';
import { ownerOf, type Admission, type HttpRequest, type Visitor } from '../../../src/transport-kit.ts';

/** One client's connection. */
export interface Connection {
  readonly socket: Socket;
  /** The client's address, or that of the proxy before it. */
  readonly address: string;
  /** The network of that address, which answers for the connection. */
  readonly network: string;
  /** The requests that have no answer yet, or whose answer the client has not taken, in their order. */
  readonly exchanges: Exchange[];
  /** Whether it sent more requests at once than are taken. */
  isFull: boolean;
  /** Whether it was told so. */
  isRefused: boolean;
  /** Whether the answer that ends it is out or due, so that another request would be one too many. */
  isLeaving: boolean;
  /** Whether the rest of an answered request is let through unseen. */
  skips: boolean;
  /** Since when no request is open on it, in milliseconds. */
  restsSince: number;
  /** How long its client may still send, and up to how many bytes in all; set when it was ended. */
  ending: { ticksLeft: number; readonly bytesReadMax: number } | undefined;
}

/** One request and its answer: the request as the core sees it, and what the server keeps about it. */
export interface Exchange extends HttpRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly connection: Connection;
  /** Who it comes from, and who it is for. */
  readonly visitor: Visitor;
  readonly signal: { aborted: boolean };
  /**
   * `waiting` while one before it on the connection is worked on, `reading` while the body is waited for,
   * `writing` while the client takes the answer.
   */
  phase: 'waiting' | 'running' | 'reading' | 'writing';
  /** The tick at which the phase began. */
  sinceTick: number;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
  /** Whether its whole body was taken. */
  isRead: boolean;
  /** Whether the connection ends with the answer. */
  closes: boolean;
  /** Whether the handler is done, or was never asked. */
  handled: boolean;
  /** Whether the client has taken the answer, or has gone. */
  ended: boolean;
  /** Whether it was answered for the handler, which took too long. */
  givenUp: boolean;
  /** The memory that it holds; undefined until it holds some. */
  account: Account | undefined;
  /** Why the rest of the request will never come. */
  failure: ApiError | undefined;
  /** Lets it begin; set while it waits for one before it. */
  begin: (() => void) | undefined;
  /** Ends the reading of the body with an error; set while it is read. */
  fail: ((error: ApiError) => void) | undefined;
  /** Lets the next piece of the answer be written; set while the client is waited for. */
  goOn: (() => void) | undefined;
}

/** Reads the body of an exchange for an owner. */
export type ReadBody = (exchange: Exchange, bytesMax: number, owner: string) => Promise<string>;

/** What the head of a request says, by whoever reads it. */
export interface HeadReader {
  readonly target: (req: IncomingMessage) => string;
  /** One header by its lower-case name; where it came more than once, all of them joined. */
  readonly header: (req: IncomingMessage, name: string) => string | undefined;
}

/** What all exchanges of a server share. */
export interface ExchangeTools {
  readonly admission: Admission;
  readonly read: ReadBody;
  readonly head: HeadReader;
  /** Whether the server takes nothing new. */
  readonly isClosing: () => boolean;
}

/** Makes the exchange of a request that has just come. */
export function createExchange(
  connection: Connection,
  { req, res, awaitsContinue }: Pick<Exchange, 'req' | 'res' | 'awaitsContinue'>,
  sinceTick: number,
  { admission, read, head, isClosing }: ExchangeTools,
): Exchange {
  const target = head.target(req);
  const visitor = admission.meet(connection.network, target);
  const exchange: Exchange = {
    method: req.method ?? '',
    target,
    header: (name) => head.header(req, name),
    address: connection.address,
    signal: { aborted: false },
    isClosing,
    admit: (tenantId) => admission.admit(visitor, tenantId),
    text: (bytesMax, tenantId) => read(exchange, bytesMax, tenantId ?? ownerOf(visitor)),
    req,
    res,
    connection,
    visitor,
    phase: 'running',
    sinceTick,
    awaitsContinue,
    isRead: false,
    closes: false,
    handled: false,
    ended: false,
    givenUp: false,
    account: undefined,
    failure: undefined,
    begin: undefined,
    fail: undefined,
    goOn: undefined,
  };
  return exchange;
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
    if (earlier.handled || earlier.givenUp) continue;
    if (!isSafe || !SAFE_METHODS.has(earlier.method)) return true;
  }
  return false;
}
