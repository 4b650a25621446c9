import { ApiError } from '../../base/errors.ts';
import type { HttpResponse } from '../message.ts';
import type { Signal } from '../../base/signal.ts';
import type { Call } from '../operation.ts';

/** How many operations of one credential run at once. A page sends a few, and a person opens a few pages. */
const AT_ONCE_MAX = 16;

/**
 * Makes a function that runs operations, so many of each credential at once. Above that limit it throws
 * ApiError 429.
 */
export function createAtOnce() {
  /** The signals of running operations, by credential id. An aborted one no longer counts. */
  const asked = new Map<string, Set<Signal>>();

  function leave(id: string, signal: Signal): void {
    const signals = asked.get(id);
    signals?.delete(signal);
    if (signals?.size === 0) asked.delete(id);
  }

  /** Counts an answer as running until its last piece is sent. */
  async function* holdPlace(body: AsyncIterable<string>, id: string, signal: Signal): AsyncGenerator<string> {
    try {
      yield* body;
    } finally {
      leave(id, signal);
    }
  }

  return async (
    { request: { signal } }: Call,
    id: string,
    operation: () => Promise<HttpResponse>,
  ): Promise<HttpResponse> => {
    const signals = asked.get(id) ?? new Set();
    for (const other of signals) if (other.aborted) signals.delete(other);
    if (signals.size >= AT_ONCE_MAX)
      throw new ApiError('tooManyAtOnce', [], { headers: { 'Retry-After': '1' } });
    asked.set(id, signals.add(signal));
    let response: HttpResponse | undefined;
    try {
      response = await operation();
      if (typeof response.body === 'string') return response;
      return { ...response, body: holdPlace(response.body, id, signal) };
    } finally {
      if (response === undefined || typeof response.body === 'string') leave(id, signal);
    }
  };
}
