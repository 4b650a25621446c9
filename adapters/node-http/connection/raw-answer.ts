import { STATUS_CODES } from 'node:http';
import type { TextResponse } from '../../../src/transport-kit.ts';

/** The text of a whole HTTP/1.1 answer, for a socket from which no request could be read. */
export function toRawAnswer({ status, headers, body }: TextResponse): string {
  const fields = { ...headers, 'Content-Length': String(Buffer.byteLength(body)), Connection: 'close' };
  const lines = Object.entries(fields).flatMap(([name, value]) =>
    [value].flat().map((each) => `${name}: ${each}\r\n`),
  );
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`;
}
