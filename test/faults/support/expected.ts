import { expect } from 'vitest';
import { defectsIn, type ServerProcess } from '../../support/server-process.ts';
import type { Answer, Report } from '../../support/traffic.ts';

/** The report of a batch; fails for any other answer than 200. */
export function toReport({ status, body }: Answer): Report {
  expect(status, JSON.stringify(body)).toBe(200);
  return body as Report;
}

/** Expects a refusal for the time being, in the words and with the header of the table of errors. */
export function expectUnavailable({ status, headers, body }: Answer): void {
  expect(status, JSON.stringify(body)).toBe(503);
  expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
  expect(Object.keys(body as object)).toEqual(['error']);
}

/** Whether an error is a failed expectation, and not a request that a fault has cut off. */
export function isAssertion(error: unknown): boolean {
  return error instanceof Error && error.name === 'AssertionError';
}

/** Ends a server, which has to end in order and to have nothing to complain of. */
export async function endWell(server: ServerProcess): Promise<void> {
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(defectsIn(server.log)).toEqual([]);
}
