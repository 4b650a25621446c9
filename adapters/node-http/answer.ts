import { STATUS_CODES } from 'node:http';
import type { HttpResponse } from '../../src/index.ts';
import type { Exchange } from './exchange.ts';

/** An answer whose body is one text. */
export type WholeResponse = HttpResponse & { readonly body: string };

/** Joins a body that comes in pieces. */
export async function joinBody(response: HttpResponse): Promise<WholeResponse> {
  if (typeof response.body === 'string') return { ...response, body: response.body };
  let body = '';
  for await (const piece of response.body) body += piece;
  return { ...response, body };
}

/** Sends an answer in one write. */
export function writeAnswer({ res, closes }: Exchange, { status, headers, body }: WholeResponse): void {
  const fields: string[] = [];
  for (const name in headers) fields.push(name, headers[name]!);
  if (closes) fields.push('Connection', 'close');
  if (status === 204) {
    res.writeHead(status, fields).end();
    return;
  }
  const bytes = Buffer.byteLength(body);
  fields.push('Content-Length', String(bytes));
  // A text as long as its bytes is ASCII, which Latin-1 writes without looking at each character.
  res.writeHead(status, fields).end(body, bytes === body.length ? 'latin1' : 'utf8');
}

/** An answer as bytes, for a socket on which no request could be read. */
export function toRawAnswer({ status, headers, body }: WholeResponse): string {
  const fields = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
