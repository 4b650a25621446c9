import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { startVisits, type Visits, type VisitsOptions } from './visits.ts';

/**
 * A server and Chromium for the tests of a file. After each test, no page may have had an error, asked
 * another origin, or done what its policy forbids.
 */
export function useVisits(options: VisitsOptions = {}): () => Visits {
  let visits: Visits | undefined;
  const here = () => {
    if (visits === undefined) throw new Error('the server has not started');
    return visits;
  };
  beforeAll(async () => {
    visits = await startVisits(options);
  }, 120_000);
  afterEach(async () => expect((await here().leave()).join('\n')).toBe(''));
  afterAll(async () => visits?.close());
  return here;
}
