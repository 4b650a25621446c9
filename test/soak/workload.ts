import { gzipSync } from 'node:zlib';
import { createRandom, type Random } from '../support/random.ts';
import type { SentEvent } from '../support/traffic.ts';
import type { SoakTenants } from './protocol.ts';

/** One request, and how its answer is judged. */
export interface Wanted {
  readonly kind: string;
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** What is wrong with an answer, undefined when nothing is. It is not asked for a 503. */
  judge(answer: { readonly status: number; readonly body: unknown }): string | undefined;
}

/** What a client knows of its tenant. */
export interface Ledger {
  /** Batches by label; `acknowledged` once the answer was there. */
  readonly batches: Map<string, { readonly size: number; acknowledged: boolean }>;
  eventsSent: number;
  eventsAcknowledged: number;
  /** The largest count that was answered. */
  highestCount: number;
}

/** Makes requests of all kinds, with answers that can be judged by what was acknowledged before. */
export interface Workload {
  readonly ledger: Ledger;
  /** The next request of a kind, or of a kind by weight. */
  next(mix: 'all' | 'heavy', kind?: string): Wanted;
  readonly kinds: readonly string[];
}

const JSON_HEADERS = { 'Content-Type': 'application/json' };
const PACKED_HEADERS = { 'Content-Type': 'application/x-ndjson', 'Content-Encoding': 'gzip' };
const BIG_EVENTS = 2000;
const START_MS = Date.UTC(2026, 0, 1);
const NAMES = ['page_viewed', 'product_viewed', 'search_made', 'purchase', 'signup'];

export function createWorkload(tenants: SoakTenants, seed: number): Workload {
  const random = createRandom(seed);
  const ledger: Ledger = { batches: new Map(), eventsSent: 0, eventsAcknowledged: 0, highestCount: 0 };
  const good = goodKinds(tenants, random, ledger, `s${seed}`);
  const bad = badRequests(tenants);
  const weights: readonly (readonly [string, number, number])[] = [
    // The kind, its weight in the mix of all, and in the mix of heavy ones.
    ['ingest', 20, 25],
    ['ingest packed', 5, 0],
    ['ingest again', 5, 0],
    ['count', 20, 10],
    ['count filtered', 10, 10],
    ['page', 10, 10],
    ['page of 1000', 2, 10],
    ['ingest 2000 again', 0, 45],
    ['batch read back', 8, 0],
    ['names', 5, 0],
    ['bad', 15, 0],
  ];
  return {
    ledger,
    kinds: weights.map(([kind]) => kind),
    next: (mix, kind = pickWeighted(random, weights, mix === 'all' ? 1 : 2)) =>
      kind === 'bad' ? random.pick(bad) : good[kind]!(),
  };
}

function pickWeighted(
  random: Random,
  weights: readonly (readonly [string, number, number])[],
  column: 1 | 2,
): string {
  let left = random.next() * weights.reduce((sum, weight) => sum + weight[column], 0);
  for (const weight of weights) {
    left -= weight[column];
    if (left < 0) return weight[0];
  }
  return weights[0]![0];
}

/** A batch of events under a label of its own; cheap, since the client must outpace the server. */
function createEvents(random: Random, label: string, size: number): SentEvent[] {
  return Array.from({ length: size }, (_, i) => ({
    eventName: NAMES[(i + size) % NAMES.length]!,
    userId: `user-${i % 50}`,
    eventTs: new Date(START_MS + random.between(0, 90 * 86_400_000)).toISOString(),
    insertId: `${label}-${i}`,
    properties: { batch: label, amount: i, plan: i % 3 === 0 ? 'pro' : null, nested: { deep: [i % 10] } },
  }));
}

function pack(events: readonly SentEvent[]): Uint8Array {
  return gzipSync(events.map((event) => JSON.stringify(event)).join('\n'));
}

type Kinds = Readonly<Record<string, () => Wanted>>;

function goodKinds({ own }: SoakTenants, random: Random, ledger: Ledger, prefix: string): Kinds {
  const keyed = { ...JSON_HEADERS, 'X-API-Key': own.secret };
  const ingestPath = `/v1/events/${own.alias}/multi`;
  let lastEvents: readonly SentEvent[] = [];
  let lastLabel: string | undefined;
  let bigBody: Uint8Array | undefined;
  let bigStored = false;
  const bigEntry = { size: BIG_EVENTS, acknowledged: false };

  const ask = (
    kind: string,
    what: string,
    body: object,
    judge: (body: unknown) => string | undefined,
  ): Wanted => ({
    kind,
    method: 'POST',
    path: `/v1/api/query${what}/${own.alias}`,
    headers: keyed,
    body: JSON.stringify(body),
    judge: ({ status, body }) => (status === 200 ? judge(body) : `status ${status} ${JSON.stringify(body)}`),
  });

  const ingest = (kind: string, packed: boolean): Wanted => {
    const label = `${prefix}-${ledger.batches.size}`;
    const events = createEvents(random, label, random.between(1, 100));
    const entry = { size: events.length, acknowledged: false };
    ledger.batches.set(label, entry);
    ledger.eventsSent += events.length;
    const headers = packed ? PACKED_HEADERS : JSON_HEADERS;
    const body = packed ? pack(events) : JSON.stringify(events);
    const judge: Wanted['judge'] = (answer) => {
      const wrong = judgeReport(answer, { accepted: events.length, duplicates: 0 });
      if (wrong !== undefined) return wrong;
      entry.acknowledged = true;
      ledger.eventsAcknowledged += events.length;
      [lastEvents, lastLabel] = [events, label];
      return undefined;
    };
    return { kind, method: 'POST', path: ingestPath, headers, body, judge };
  };

  /** The same large batch each time: it costs the server much and the client nothing. */
  const big = (): Wanted => {
    if (bigBody === undefined) {
      const events = createEvents(random, `${prefix}-big`, BIG_EVENTS);
      bigBody = pack(events);
      ledger.batches.set(`${prefix}-big`, bigEntry);
      ledger.eventsSent += BIG_EVENTS;
    }
    const judge: Wanted['judge'] = (answer) => {
      // One of those in flight stores it; their answers may come in any order.
      const accepted = (answer.body as { accepted?: number }).accepted === BIG_EVENTS ? BIG_EVENTS : 0;
      const wrong = judgeReport(answer, { accepted, duplicates: BIG_EVENTS - accepted });
      if (wrong !== undefined) return wrong;
      if (accepted > 0 && bigStored) return 'a batch was stored twice';
      bigStored ||= accepted > 0;
      if (!bigEntry.acknowledged) ledger.eventsAcknowledged += BIG_EVENTS;
      bigEntry.acknowledged = true;
      return undefined;
    };
    return {
      kind: 'ingest 2000 again',
      method: 'POST',
      path: ingestPath,
      headers: PACKED_HEADERS,
      body: bigBody,
      judge,
    };
  };

  const count = (): Wanted => {
    // Whatever was acknowledged, or counted, before this request was sent has to be in its answer.
    const least = Math.max(ledger.eventsAcknowledged, ledger.highestCount);
    return ask('count', '/count', {}, (body) => {
      const { count } = body as { count: number };
      ledger.highestCount = Math.max(ledger.highestCount, count);
      return count >= least && count <= ledger.eventsSent
        ? undefined
        : `${count} not in ${least}..${ledger.eventsSent}`;
    });
  };

  return {
    ingest: () => ingest('ingest', false),
    'ingest packed': () => ingest('ingest packed', true),
    'ingest again': () => {
      const events = lastEvents;
      if (events.length === 0) return ingest('ingest', false);
      const judge: Wanted['judge'] = (answer) =>
        judgeReport(answer, { accepted: 0, duplicates: events.length });
      const body = JSON.stringify(events);
      return { kind: 'ingest again', method: 'POST', path: ingestPath, headers: JSON_HEADERS, body, judge };
    },
    'ingest 2000 again': big,
    count,
    'count filtered': () => {
      const amount = random.between(0, 99);
      const filterSet = [{ property: 'properties.amount', comparison: 'GREATER_THAN', value: amount }];
      return ask('count filtered', '/count', { event: random.pick(NAMES), filterSet }, (body) =>
        (body as { count: number }).count <= ledger.eventsSent ? undefined : 'more than was sent',
      );
    },
    page: () => pageOf(random.between(1, 100)),
    'page of 1000': () => pageOf(1000),
    'batch read back': () => {
      if (lastLabel === undefined) return count();
      const ids = lastEvents.map(({ insertId }) => insertId);
      const filterSet = [{ property: 'properties.batch', comparison: 'EQUALS', value: lastLabel }];
      return ask('batch read back', '', { filterSet }, (body) => {
        const found = new Set((body as SentEvent[]).map(({ insertId }) => insertId));
        return found.size === ids.length && ids.every((id) => found.has(id))
          ? undefined
          : 'another set of events';
      });
    },
    names: () => ({
      ...ask('names', '/events', {}, (body) =>
        (body as string[]).every((name) => NAMES.includes(name)) ? undefined : JSON.stringify(body),
      ),
      method: 'GET',
      headers: { 'X-API-Key': own.secret },
      body: '',
    }),
  };

  function pageOf(size: number): Wanted {
    const kind = size === 1000 ? 'page of 1000' : 'page';
    const offset = random.between(0, 500);
    return ask(kind, '', { event: random.pick(NAMES), pagination: { size, offset } }, (body) => {
      const events = body as SentEvent[];
      const ordered = events.every((event, i) => i === 0 || event.eventTs <= events[i - 1]!.eventTs);
      return ordered && events.length <= size ? undefined : 'not in order, or too many';
    });
  }
}

function judgeReport(
  { status, body }: { readonly status: number; readonly body: unknown },
  { accepted, duplicates }: { readonly accepted: number; readonly duplicates: number },
): string | undefined {
  const report = body as { accepted?: number; duplicates?: number };
  const right = status === 200 && report.accepted === accepted && report.duplicates === duplicates;
  return right ? undefined : `${status} ${JSON.stringify(body)} instead of ${accepted}/${duplicates}`;
}

/** Requests that must be refused, each with the status of the table of errors. */
function badRequests({ own, free, limited }: SoakTenants): Wanted[] {
  const count = (alias: string) => `/v1/api/query/count/${alias}`;
  const keyed = { ...JSON_HEADERS, 'X-API-Key': own.secret };
  const refused = (
    statuses: readonly number[],
    path: string,
    body: string | Uint8Array,
    headers: Record<string, string> = keyed,
    method: Wanted['method'] = 'POST',
  ): Wanted => ({
    kind: 'bad',
    method,
    path,
    headers,
    body,
    judge: ({ status, body }) => {
      const { error } = body as { error?: unknown };
      if (!statuses.includes(status)) return `status ${status} instead of ${statuses.join(' or ')}`;
      return status < 400 || typeof error === 'string' ? undefined : `no error text: ${JSON.stringify(body)}`;
    },
  });
  const event = { eventName: 'e', userId: 'u', eventTs: 'yesterday' };
  const multi = `/v1/events/${own.alias}/multi`;
  return [
    refused([400], count(own.alias), '{"event":'),
    refused([400], count(own.alias), '"text"'),
    refused([400], count(own.alias), '{"filterset":[]}'),
    refused([400], count(own.alias), '{"after":"2024-02-30"}'),
    refused([400], count(own.alias), '{"filterSet":[{"property":"x.y","comparison":"LIKE","value":1}]}'),
    refused([400], `/v1/api/query/${own.alias}`, '{"pagination":{"size":1001}}'),
    refused([400], `/v1/api/query/${own.alias}`, '{"pagination":{"cursor":"bogus"}}'),
    refused([401], count(own.alias), '{}', JSON_HEADERS),
    refused([401], count(own.alias), '{}', { ...JSON_HEADERS, 'X-API-Key': `eqk_${'0'.repeat(64)}` }),
    refused([404], count('nobody'), '{}'),
    refused([404], count(free.alias), '{}'),
    refused([403], count(free.alias), '{}', { ...JSON_HEADERS, 'X-API-Key': free.secret }),
    refused([200, 429], count(limited.alias), '{}', { ...JSON_HEADERS, 'X-API-Key': limited.secret }),
    refused([404], '/v1/nothing', '{}'),
    refused([405], count(own.alias), '{}', keyed, 'PUT'),
    refused([413], count(own.alias), `{"event":"${'x'.repeat(300_000)}"}`),
    refused([415], count(own.alias), '{}', { 'Content-Type': 'text/plain', 'X-API-Key': own.secret }),
    refused([400], multi, '[]', JSON_HEADERS),
    refused([400], multi, JSON.stringify([event]), JSON_HEADERS),
    refused([400], multi, 'no gzip at all', { ...JSON_HEADERS, 'Content-Encoding': 'gzip' }),
    refused([400], multi, gzipSync(Buffer.alloc(11_000_000, ' ')), {
      ...JSON_HEADERS,
      'Content-Encoding': 'gzip',
    }),
  ];
}
