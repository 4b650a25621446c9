import { ApiError, invalid } from '../../../src/index.ts';
import { quote, unreadableBody } from '../../../src/transport-kit.ts';
import type { Exchange } from '../state/states.ts';

/** What is answered to bytes that are no request. */
const notHttp = () => invalid('request', 'takes HTTP/1.1, got something that cannot be read as that');

/**
 * Why the server refuses a request by its head alone: a proxy in front of it could see another host, or
 * another end of the body, and take the bytes that follow for another client's request.
 */
export function findAmbiguity(exchange: Exchange): ApiError | undefined {
  const { req } = exchange;
  // Node reads a line without a version as HTTP/0.9, and the lines behind it as headers, which that has not.
  if (req.httpVersionMajor === 0) return notHttp();
  const host = exchange.header('host');
  const wellNamed = host === undefined ? req.httpVersionMinor === 0 : !host.includes(',');
  if (!wellNamed) return invalid('Host', 'takes exactly one header of this name');
  // Node refuses most other codings. Those that it accepts end in chunked, but not every proxy sees that.
  const coding = exchange.header('transfer-encoding');
  if (coding === undefined) return undefined;
  if (req.httpVersionMinor === 0) return invalid('Transfer-Encoding', 'does not exist in HTTP/1.0');
  if (coding.trim().toLowerCase() === 'chunked') return undefined;
  return invalid('Transfer-Encoding', `takes chunked alone, got ${quote(coding)}`);
}

/**
 * The answer to an error that Node met before it could read a request; undefined when the client cannot
 * receive an answer.
 */
export function toClientError(error: NodeJS.ErrnoException): ApiError | undefined {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('headersTooLarge');
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('requestTimeout');
    case 'HPE_INVALID_EOF_STATE':
      return unreadableBody('end');
    default:
      return error.code?.startsWith('HPE_') === true ? notHttp() : undefined;
  }
}
