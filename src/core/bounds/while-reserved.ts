import { reserveOrThrow, type Reservation } from './memory-budget.ts';

/**
 * Lets the pieces of an answer leave while an account has booked what they take in memory, from before the
 * first until the last is taken or the client has gone. The account has nothing else. Throws ApiError (503)
 * where there is no room.
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
