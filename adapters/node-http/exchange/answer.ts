import { randomUUID } from 'node:crypto';
import { overloaded } from '../../../src/index.ts';
import {
  toErrorAnswer,
  type HttpRequest,
  type HttpResponse,
  type PiecesResponse,
  type TextResponse,
} from '../../../src/transport-kit.ts';
import { awaitClient } from '../state/exchange.ts';
import type { Exchange } from '../state/states.ts';

/** Sends an answer of so many bytes in one write. */
export function writeText(exchange: Exchange, { status, headers, body }: TextResponse, bytes: number): void {
  const fields = toFields(exchange, headers);
  if (status === 204) {
    exchange.res.writeHead(status, fields).end();
    return;
  }
  fields.push('Content-Length', String(bytes));
  // A text as long as its bytes is ASCII, which Latin-1 writes without looking at each character.
  exchange.res.writeHead(status, fields).end(body, bytes === body.length ? 'latin1' : 'utf8');
}

/** What is kept about an answer in pieces. */
export interface PieceWriting {
  /** Called before a piece is written. */
  readonly begin: (bytes: number) => void;
  /** Called when the client has taken it; whether it wants more. */
  readonly end: (bytes: number) => boolean;
}

/** Sends an answer piece by piece, as fast as the client takes it. */
export async function writePieces(
  exchange: Exchange,
  { status, headers, first, rest }: PiecesResponse,
  { begin, end }: PieceWriting,
): Promise<void> {
  const { res } = exchange;
  for (let piece = first; ;) {
    const bytes = Buffer.byteLength(piece);
    begin(bytes);
    if (!res.headersSent) res.writeHead(status, toFields(exchange, headers));
    if (!res.write(piece)) await untilDrained(exchange);
    if (!end(bytes)) break;
    const next = await rest.next();
    if (next.done === true) {
      res.end();
      return;
    }
    piece = next.value;
  }
  await rest.return?.();
}

/** Resolves when the client has taken what was written, or has gone. */
function untilDrained(exchange: Exchange): Promise<void> {
  return new Promise((resolve) => {
    awaitClient(exchange, resolve);
    exchange.res.once('drain', resolve);
  });
}

function toFields({ isLast }: Exchange, headers: HttpResponse['headers']): string[] {
  const fields: string[] = [];
  for (const name in headers) {
    const value = headers[name]!;
    if (typeof value === 'string') fields.push(name, value);
    else for (const each of value) fields.push(name, each);
  }
  if (isLast) fields.push('Connection', 'close');
  return fields;
}

/** The answer to what went wrong outside of the handler, with the request where there is one. */
export function toResponse(
  error: unknown,
  request?: HttpRequest,
  requestId = randomUUID() as string,
): TextResponse {
  return toErrorAnswer(error, requestId, request);
}

/** Made once: to make an error takes longer than all else that such an answer costs. */
const OVERLOADED = overloaded();

/** The answer to a request for which there is no time. */
export function toRefusal(request: HttpRequest): TextResponse {
  return toResponse(OVERLOADED, request);
}
