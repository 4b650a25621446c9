import type { Answer } from '../../support/answers.ts';
import type { Target } from './target.ts';

/** The places that take a body, as a tenant's alias completes them. */
const PLACES = {
  query: '/v1/api/query/mallory',
  count: '/v1/api/query/count/mallory',
  ingest: '/v1/events/mallory/multi',
} as const;
export type Place = keyof typeof PLACES;

/** POSTs a body with the attacker's key. */
export async function post(
  target: Target,
  place: Place,
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const own = { 'Content-Type': 'application/json', 'X-API-Key': target.key };
  return toAnswer(
    await fetch(target.origin + PLACES[place], { method: 'POST', headers: { ...own, ...headers }, body }),
  );
}

/** An answer of fetch as plain data. */
export async function toAnswer(response: Response): Promise<Answer> {
  const headers = Object.fromEntries(response.headers);
  return { status: response.status, headers, body: await response.text() };
}

/** The error of an answer, or its whole body. */
export function errorOf({ body }: Answer): string {
  const { error } = JSON.parse(body) as { error?: string };
  return error ?? body;
}
