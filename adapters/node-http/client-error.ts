import { ApiError, invalid } from '../../src/index.ts';

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
      return new ApiError('unreadableBody', ['the connection ended before it was complete']);
    default:
      return error.code?.startsWith('HPE_') === true
        ? invalid('request', 'takes HTTP/1.1, got something that cannot be read as that')
        : undefined;
  }
}
