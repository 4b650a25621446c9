import { ApiError } from '../../base/errors.ts';
import type { HttpResponse } from '../message.ts';
import type { Signal } from '../../base/signal.ts';
import type { AdminOperation } from './controller.ts';

/** How much of one pass is answered at once. A page asks a few, and a person has a few pages. */
const AT_ONCE_MAX = 16;

/** Makes what lets a few operations of each pass be answered at once, and no more. Throws ApiError 429. */
export function createAtOnce(): (operation: AdminOperation) => AdminOperation {
  /** The signals of what is answered, by pass: one that is aborted waits for nothing any more. */
  const asked = new Map<string, Set<Signal>>();

  function leave(id: string, signal: Signal): void {
    const signals = asked.get(id);
    signals?.delete(signal);
    if (signals?.size === 0) asked.delete(id);
  }

  /** Holds the place of an answer until the last piece has left. */
  async function* holdPlace(body: AsyncIterable<string>, id: string, signal: Signal): AsyncGenerator<string> {
    try {
      yield* body;
    } finally {
      leave(id, signal);
    }
  }

  return (operation) => async (call, auth) => {
    const { id } = auth.credential;
    const { signal } = call.request;
    const signals = asked.get(id) ?? new Set();
    for (const other of signals) if (other.aborted) signals.delete(other);
    if (signals.size >= AT_ONCE_MAX)
      throw new ApiError('tooManyAtOnce', [], { headers: { 'Retry-After': '1' } });
    asked.set(id, signals.add(signal));
    let response: HttpResponse | undefined;
    try {
      response = await operation(call, auth);
      if (typeof response.body === 'string') return response;
      return { ...response, body: holdPlace(response.body, id, signal) };
    } finally {
      if (response === undefined || typeof response.body === 'string') leave(id, signal);
    }
  };
}
