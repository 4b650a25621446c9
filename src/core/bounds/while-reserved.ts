import { reserveOrThrow, type Reservation } from './memory-budget.ts';

/**
 * Yields the pieces of an answer while their memory is reserved: from before the first piece until the last
 * is taken or the client has gone. The reservation must hold nothing else. Throws ApiError (503) if there
 * is no room.
 */
export async function* whileReserved(
  reservation: Reservation,
  bytes: number,
  pieces: Iterable<string> | AsyncIterable<string>,
): AsyncGenerator<string, void> {
  try {
    reserveOrThrow(reservation, bytes);
    yield* pieces;
  } finally {
    reservation.release();
  }
}
