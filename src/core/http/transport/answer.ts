import type { HttpRequest, HttpResponse } from '../message.ts';
import { pageHeaders } from '../cors.ts';
import { errorResponse, jsonHeaders } from '../response.ts';

/** An answer whose body is one text. */
export type TextResponse = HttpResponse & { readonly body: string };

/** An answer in pieces. The first one is ready; each of the others is made when it is asked for. */
export interface PiecesResponse extends Omit<HttpResponse, 'body'> {
  /** The first piece of the body. */
  readonly first: string;
  /** The other pieces: each is made when it is asked for. */
  readonly rest: AsyncIterator<string>;
}

/** Asks for the first piece of an answer, so that an error in it can still become an error answer. */
export async function begin(response: HttpResponse): Promise<TextResponse | PiecesResponse> {
  const { status, headers, body } = response;
  if (typeof body === 'string') {
    return response.isBinary === true ? { status, headers, body, isBinary: true } : { status, headers, body };
  }
  const rest = body[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done === true) return { status, headers, body: '' };
  return { status, headers, first: first.value, rest };
}

/**
 * The answer to an error outside the handler. A request adds the CORS headers for its page.
 */
export function toErrorAnswer(error: unknown, requestId: string, request?: HttpRequest): TextResponse {
  const headers = jsonHeaders(requestId);
  return errorResponse(error, request === undefined ? headers : { ...headers, ...pageHeaders(request) });
}
