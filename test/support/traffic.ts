import { gzipSync } from 'node:zlib';
import type { Random } from './random.ts';
import type { TestTenant } from './file.ts';

/** An event as the tests send it. */
export interface SentEvent {
  readonly eventName: string;
  readonly userId: string;
  readonly eventTs: string;
  readonly insertId: string;
  readonly properties: Readonly<Record<string, unknown>>;
}

/** What a server answered. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; a body that is none makes the request fail. */
  readonly body: unknown;
}

/** What became of a batch. */
export interface Report {
  readonly accepted: number;
  readonly duplicates: number;
  readonly rejected: readonly unknown[];
}

const NAMES = ['page_viewed', 'product_viewed', 'search_made', 'purchase', 'signup'];
const START_MS = Date.UTC(2026, 0, 1);

/** Makes a batch whose insert ids begin with `label`, spread over three months, so that pages mix batches. */
export function createBatch(random: Random, label: string, size: number): SentEvent[] {
  return Array.from({ length: size }, (_, i) => ({
    eventName: random.pick(NAMES),
    userId: `user-${random.between(1, 200)}`,
    eventTs: new Date(START_MS + random.between(0, 90 * 86_400_000)).toISOString(),
    insertId: `${label}-${i}`,
    properties: {
      batch: label,
      amount: random.between(0, 10_000) / 100,
      plan: random.pick(['free', 'pro', null]),
      nested: { deep: [random.between(0, 9), 'x'] },
      note: 'n'.repeat(random.between(0, 120)),
    },
  }));
}

/** The answer to one request. Rejects when the connection ends before it, or when it is no JSON. */
export async function ask(
  origin: string,
  path: string,
  {
    method = 'POST',
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: string | Uint8Array<ArrayBuffer> } = {},
): Promise<Answer> {
  const response = await fetch(origin + path, { method, headers, ...(body === undefined ? {} : { body }) });
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: JSON.parse(text) as unknown };
}

/** Sends a batch as plain JSON. */
export function sendBatch(origin: string, alias: string, events: readonly SentEvent[]): Promise<Answer> {
  return ask(origin, `/v1/events/${alias}/multi`, {
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(events),
  });
}

/** Sends a batch as NDJSON, gzipped. */
export function sendPackedBatch(
  origin: string,
  alias: string,
  events: readonly SentEvent[],
): Promise<Answer> {
  return ask(origin, `/v1/events/${alias}/multi`, {
    headers: { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' },
    body: gzipped(events.map((event) => JSON.stringify(event)).join('\n')),
  });
}

function gzipped(text: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(gzipSync(text));
}

/** Asks one of the three questions of a tenant. */
export function askTenant(
  origin: string,
  { alias, secret }: TestTenant,
  question: 'query' | 'count' | 'names',
  body: unknown = {},
): Promise<Answer> {
  const headers = { 'X-API-Key': secret };
  if (question === 'names') return ask(origin, `/v1/api/query/events/${alias}`, { method: 'GET', headers });
  const path = question === 'count' ? `/v1/api/query/count/${alias}` : `/v1/api/query/${alias}`;
  return ask(origin, path, {
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/** How many events match. Throws an Error for any other answer than 200. */
export async function count(origin: string, tenant: TestTenant, body: unknown = {}): Promise<number> {
  const answer = await askTenant(origin, tenant, 'count', body);
  if (answer.status !== 200) throw new Error(`count: ${answer.status} ${JSON.stringify(answer.body)}`);
  return (answer.body as { count: number }).count;
}

/** All events that match, page by page with cursors. Throws an Error for any other answer than 200. */
export async function fetchAll(origin: string, tenant: TestTenant, body: object = {}): Promise<SentEvent[]> {
  const events: SentEvent[] = [];
  let cursor: string | null = null;
  do {
    const pagination: object = { size: 1000, ...(cursor === null ? {} : { cursor }) };
    const answer = await askTenant(origin, tenant, 'query', { ...body, pagination });
    if (answer.status !== 200) throw new Error(`query: ${answer.status} ${JSON.stringify(answer.body)}`);
    events.push(...(answer.body as SentEvent[]));
    cursor = answer.headers.get('x-next-cursor');
  } while (cursor !== null);
  return events;
}

/** The order of answers: newest first, then `insertId` descending; those here are ASCII. */
export function byNewest(a: SentEvent, b: SentEvent): number {
  return Date.parse(b.eventTs) - Date.parse(a.eventTs) || (a.insertId < b.insertId ? 1 : -1);
}

/** Events as one comparable text each, in the order of answers. */
export function toComparable(events: readonly SentEvent[]): string[] {
  return [...events]
    .sort(byNewest)
    .map(({ eventName, userId, eventTs, insertId, properties }) =>
      JSON.stringify([insertId, eventTs, eventName, userId, sorted(properties)]),
    );
}

/** A value whose objects are lists of their fields by key, so that equal ones have one text. */
export function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)]);
}

/** Waits. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** How long something that has to happen is waited for: no machine is so slow. */
const PATIENCE_MS = 60_000;

/** Waits until something is so. Throws an Error that says what never was. */
export async function until(what: string, isSo: () => boolean): Promise<void> {
  const endsAt = performance.now() + PATIENCE_MS;
  while (!isSo()) {
    if (performance.now() > endsAt) throw new Error(`waited for a minute, in vain: ${what}`);
    await pause(20);
  }
}
