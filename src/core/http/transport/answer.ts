import type { HttpRequest, HttpResponse } from '../message.ts';
import { pageHeaders } from '../cors.ts';
import { errorResponse, jsonHeaders } from '../response.ts';

/** An answer whose body is at hand. */
export type TextResponse = HttpResponse & { readonly body: string };

/** An answer that is written in pieces: the first is at hand, the others are made when it is their turn. */
export interface PiecesResponse extends Omit<HttpResponse, 'body'> {
  /** The first piece of the body. */
  readonly first: string;
  /** The other pieces: each is made when it is asked for. */
  readonly rest: AsyncIterator<string>;
}

/** Asks for the first piece of an answer that has several, so that what fails in it is an answer still. */
export async function begin(response: HttpResponse): Promise<TextResponse | PiecesResponse> {
  const { status, headers, body } = response;
  if (typeof body === 'string') return { status, headers, body };
  const rest = body[Symbol.asyncIterator]();
  const first = await rest.next();
  if (first.done === true) return { status, headers, body: '' };
  return { status, headers, first: first.value, rest };
}

/** The answer to what went wrong outside of the handler, with the request where there is one. */
export function toErrorAnswer(error: unknown, requestId: string, request?: HttpRequest): TextResponse {
  const headers = jsonHeaders(requestId);
  return errorResponse(error, request === undefined ? headers : { ...headers, ...pageHeaders(request) });
}
