import { ApiError, invalid } from '../../../src/index.ts';
import { quote, unreadableBody } from '../../../src/transport-kit.ts';
import type { Exchange } from '../state/states.ts';

/**
 * Why a request is refused by its head alone: because a proxy before this server could see another host
 * in it, or another end of its body, and take what follows for a request of somebody else.
 */
export function findAmbiguity(exchange: Exchange): ApiError | undefined {
  const { req } = exchange;
  const host = exchange.header('host');
  const wellNamed = host === undefined ? req.httpVersionMinor === 0 : !host.includes(',');
  if (!wellNamed) return invalid('Host', 'takes exactly one header of this name');
  // Node refuses most of these; what it lets through ends in chunked, but not everybody sees that.
  const coding = exchange.header('transfer-encoding');
  if (coding === undefined) return undefined;
  if (req.httpVersionMinor === 0) return invalid('Transfer-Encoding', 'does not exist in HTTP/1.0');
  if (coding.trim().toLowerCase() === 'chunked') return undefined;
  return invalid('Transfer-Encoding', `takes chunked alone, got ${quote(coding)}`);
}

/**
 * What a client is told of an error that Node met before there was a request; undefined when nobody is
 * there to hear.
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
      return error.code?.startsWith('HPE_') === true
        ? invalid('request', 'takes HTTP/1.1, got something that cannot be read as that')
        : undefined;
  }
}
