import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Account, ApiError, HttpRequest } from '../../../src/index.ts';

/** One client's connection. */
export interface Connection {
  readonly socket: Socket;
  /** The client's address, or that of the proxy before it. */
  readonly address: string;
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
  /** Who is asked for: the path, which names the tenant before anybody has looked. */
  readonly owner: string;
  readonly signal: { aborted: boolean };
  /** `reading` while the body is waited for, `writing` while the client takes the answer. */
  phase: 'running' | 'reading' | 'writing';
  /** The tick at which the phase began. */
  sinceTick: number;
  /** Whether it has one of the places for requests that are worked on. */
  runs: boolean;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
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
  /** Ends the reading of the body with an error; set while it is read. */
  fail: ((error: ApiError) => void) | undefined;
  /** Lets the next piece of the answer be written; set while the client is waited for. */
  goOn: (() => void) | undefined;
}

/** Reads the body of an exchange for an owner. */
export type ReadBody = (exchange: Exchange, bytesMax: number, owner: string) => Promise<string>;

/** Makes the exchange of a request that has just come. */
export function createExchange(
  connection: Connection,
  { req, res, awaitsContinue }: Pick<Exchange, 'req' | 'res' | 'awaitsContinue'>,
  sinceTick: number,
  read: ReadBody,
  isClosing: () => boolean,
): Exchange {
  const target = toTarget(req.url ?? '');
  const owner = toPath(target);
  const exchange: Exchange = {
    method: req.method ?? '',
    target,
    header: (name) => {
      const value = req.headers[name];
      return typeof value === 'string' ? value : undefined;
    },
    signal: { aborted: false },
    isClosing,
    text: (bytesMax, tenantId) => read(exchange, bytesMax, tenantId ?? owner),
    req,
    res,
    connection,
    owner,
    phase: 'running',
    sinceTick,
    runs: false,
    awaitsContinue,
    closes: false,
    handled: false,
    ended: false,
    givenUp: false,
    account: undefined,
    failure: undefined,
    fail: undefined,
    goOn: undefined,
  };
  return exchange;
}

/** Whether a request only asks how the server is, which is told whatever else waits. */
export function isHealth({ target }: Exchange): boolean {
  return target === '/healthz' || target === '/readyz';
}

const ABSOLUTE_FORM = /^https?:\/\/[^/?#]*/i;

/**
 * The path and query of a target: a request to a proxy names the whole address, and a server has to take
 * that too.
 */
function toTarget(url: string): string {
  if (url.startsWith('/')) return url;
  const path = url.replace(ABSOLUTE_FORM, '');
  if (path === url) return url;
  return path.startsWith('/') ? path : `/${path}`;
}

/** The path of a target, one text for all the ways to write it. */
function toPath(target: string): string {
  const end = target.indexOf('?');
  const path = end < 0 ? target : target.slice(0, end);
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
