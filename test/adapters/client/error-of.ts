import { EventQueryError } from '../../../adapters/client/index.ts';

/** The error of the client that work throws; throws if it throws another or none. */
export async function errorOf(work: Promise<unknown>): Promise<EventQueryError> {
  const error: unknown = await work.then(
    () => new Error('did not throw'),
    (thrown: unknown) => thrown,
  );
  if (error instanceof EventQueryError) return error;
  throw error;
}
