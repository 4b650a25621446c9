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

/** Sends an answer in one write. `bytes` is the length of its body in UTF-8. */
export function writeText(exchange: Exchange, { status, headers, body }: TextResponse, bytes: number): void {
  const fields = toFields(exchange, headers);
  if (status === 204) {
    exchange.res.writeHead(status, fields).end();
    return;
  }
  fields.push('Content-Length', String(bytes));
  // If the text has as many characters as bytes, it is ASCII, and Node writes Latin-1 faster than UTF-8.
  exchange.res.writeHead(status, fields).end(body, bytes === body.length ? 'latin1' : 'utf8');
}

/** The callbacks around each piece of an answer that is sent in pieces. */
export interface PieceWriting {
  /** Called before a piece is written. */
  readonly begin: (bytes: number) => void;
  /** Called when the client has taken the piece; returns whether to send the next one. */
  readonly end: (bytes: number) => boolean;
}

/** Sends an answer piece by piece, as fast as the client takes it. Throws what `begin` and `rest` throw. */
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

/** Resolves when the client has taken all written bytes or has disconnected. */
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

/** The answer to an error outside the handler. `request` is absent where no request could be read. */
export function toResponse(
  error: unknown,
  request?: HttpRequest,
  requestId = request?.requestId ?? randomUUID(),
): TextResponse {
  return toErrorAnswer(error, requestId, request);
}

/** Made once: creating the error would cost more than the rest of such an answer. */
const OVERLOADED = overloaded();

/** The answer to a request that an overloaded server does not start. */
export function toRefusal(request: HttpRequest): TextResponse {
  return toResponse(OVERLOADED, request);
}
