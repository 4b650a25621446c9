import { ApiError } from '../../src/index.ts';
import { createBoundedMap } from '../../src/store-kit.ts';

const TELL_AGAIN_MS = 60_000;
const PLACES_MAX = 1000;

/** Makes the 503 for a fault at a place: a JWKS endpoint, or a tenant's own key. */
export type ToFault = (place: string, cause: unknown, retryAfterSeconds: number) => ApiError;

/**
 * Every request runs into such a fault again, and anyone can send requests, so each place is logged at most
 * once a minute.
 */
export function createFaults(now: () => number): ToFault {
  const places = createBoundedMap<string, { toldAt: number | undefined }>(PLACES_MAX);
  return (place, cause, retryAfterSeconds) => {
    const known = places.getOrMake(place, () => ({ toldAt: undefined }));
    const logged = known.toldAt !== undefined && Math.abs(now() - known.toldAt) < TELL_AGAIN_MS;
    if (!logged) known.toldAt = now();
    return new ApiError('unavailable', [], {
      cause,
      logged,
      headers: { 'Retry-After': String(retryAfterSeconds) },
    });
  };
}
