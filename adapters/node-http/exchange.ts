import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiError, HttpRequest } from '../../src/index.ts';
import { readText } from './body.ts';
import type { Holder, Load } from './load.ts';
import type { Turns } from './turns.ts';

/** One request and its answer: the request as the core sees it, and what the server keeps about it. */
export interface Exchange extends HttpRequest, Holder {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** `reading` while the handler waits for the body. */
  phase: 'running' | 'reading' | 'answered';
  /** The tick at which the phase began. */
  sinceTick: number;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  awaitsContinue: boolean;
  /** Whether the connection ends with the answer. */
  closes: boolean;
  /** Whether the handler is done, or was never asked. */
  handled: boolean;
  /** Why the rest of the request will never come. */
  failure: ApiError | undefined;
  /** Ends the reading of the body with an error; set while it is read. */
  fail: ((error: ApiError) => void) | undefined;
}

/** Makes the exchange of a request that has just come. */
export function createExchange(
  req: IncomingMessage,
  res: ServerResponse,
  { load, turns }: { readonly load: Load; readonly turns: Turns },
  awaitsContinue: boolean,
): Exchange {
  const leaving = new AbortController();
  res.once('close', () => leaving.abort());
  const exchange: Exchange = {
    signal: leaving.signal,
    method: req.method ?? '',
    target: toTarget(req.url ?? ''),
    header: (name) => {
      const value = req.headers[name];
      return typeof value === 'string' ? value : undefined;
    },
    text: (bytesMax) => readText(exchange, { load, turns, bytesMax }),
    req,
    res,
    heldBytes: 0,
    phase: 'running',
    sinceTick: load.ticks,
    awaitsContinue,
    closes: false,
    handled: false,
    failure: undefined,
    fail: undefined,
  };
  return exchange;
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
