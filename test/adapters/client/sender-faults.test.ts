import fc from 'fast-check';
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { createSender, type SenderOptions } from '../../../adapters/client/index.ts';
import type { EventInput } from '../../../src/index.ts';
import { casesOf } from '../../support/cases.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';
import { isForwarded, openGate, type Fault, type Gate } from './gate.ts';

const KINDS = ['good', 'rejected', 'no number', 'no JSON', 'too deep', 'half a character'] as const;

/** What a program does, one step after the other. */
type Step =
  | { readonly append: readonly (typeof KINDS)[number][] }
  | { readonly flush: 'to its end' | 'left at once' }
  | { readonly passMs: number };

/** A program, its sender, and what happens to its requests. */
interface Run {
  readonly options: Partial<SenderOptions>;
  readonly faults: readonly Fault[];
  /** What happens to all requests after these. */
  readonly usual: Fault;
  readonly steps: readonly Step[];
  readonly isFlushed: boolean;
}

const fault = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Fault>('pass') },
  { weight: 3, arbitrary: fc.constantFrom<Fault>('away', 'cut', 'half', 'silent') },
  { weight: 2, arbitrary: fc.constantFrom(10, 900, 5000, 40_000).map((afterMs): Fault => ({ afterMs })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom('0', '2', '3600', '-1', 'Wed, 21 Oct 2026 07:28:00 GMT')
      .map((retryAfter): Fault => ({ status: 429, retryAfter })),
  },
  { weight: 2, arbitrary: fc.constant<Fault>({ status: 413 }) },
  {
    weight: 4,
    arbitrary: fc.record({
      status: fc.constantFrom(500, 502, 503),
      isStored: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(400, 401, 404, 408).map((status): Fault => ({ status })) },
  {
    weight: 1,
    arbitrary: fc
      .constantFrom('<p>', '{}', '{"rejected":[null]}')
      .map((body): Fault => ({ status: 200, body })),
  },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ append: fc.array(fc.constantFrom(...KINDS, 'good', 'good'), { maxLength: 8 }) }),
  },
  { weight: 2, arbitrary: fc.record({ flush: fc.constantFrom('to its end', 'left at once') }) },
  { weight: 2, arbitrary: fc.record({ passMs: fc.integer({ min: 0, max: 2000 }) }) },
);

const run: fc.Arbitrary<Run> = fc.record({
  options: fc.record(
    {
      batchMax: fc.integer({ min: 1, max: 6 }),
      batchBytesMax: fc.constantFrom(1, 200, 500, 10_000),
      delayMs: fc.constantFrom(0, 50, 60_000),
      queueMax: fc.integer({ min: 1, max: 12 }),
      queueBytesMax: fc.constantFrom(100, 600, 10_000),
      closeMs: fc.constantFrom(0, 1, 700, 20_000),
      timeoutMs: fc.constantFrom(1, 1000, 30_000),
    },
    { requiredKeys: [] },
  ),
  faults: fc.array(fault, { maxLength: 12 }),
  usual: fc.constantFrom<Fault>('pass', 'pass', 'silent', 'away', { status: 503 }),
  steps: fc.array(step, { minLength: 1, maxLength: 12 }),
  isFlushed: fc.boolean(),
});

/** More than all the pauses of a run: a server may ask for an hour twelve times. */
const SETTLED_MS = 86_400_000;

let server: TestServer;
let tenants = 0;

beforeAll(async () => void (server = await startTestServer()));
afterAll(() => server.close());

/** The events that a text of JSON holds, by the numbers that this test has given them. */
const numbersOf = (events: readonly Readonly<Record<string, unknown>>[]) =>
  events.map(({ properties }) => (properties as { n: number }).n);

function eventOf(kind: (typeof KINDS)[number], n: number): EventInput {
  const event = { eventName: kind, userId: 'ada', properties: { n } };
  if (kind === 'rejected') return { ...event, userId: '' };
  if (kind === 'no number') return { ...event, properties: { n, of: NaN } };
  if (kind === 'no JSON') return { ...event, toJSON: () => undefined } as EventInput;
  if (kind === 'half a character') return { ...event, properties: { n, text: '\ud800' } };
  if (kind === 'too deep') {
    let deep: object = {};
    for (let i = 0; i < 80; i++) deep = { deep };
    return { ...event, properties: { n, deep } };
  }
  return event;
}

/**
 * Carries out a run. Time passes only when nothing else can happen, and then at once. Its rules hold whenever
 * a timer fires, so none of them depends on how fast this machine is.
 */
async function carryOut({ options, faults, usual, steps, isFlushed }: Run, gate: Gate): Promise<void> {
  const tenant = `faulty-${(tenants += 1)}`;
  const apiKey = await server.createTenant(tenant);
  gate.reset();
  gate.next(...faults);
  gate.always(usual);
  /** What was appended, what was reported, and what the sender knows to be stored. */
  const [reported, acknowledged] = [new Map<number, number>(), new Set<number>()];
  let [appended, fetching, fetched] = [0, 0, 0];
  const [order, sizes]: [number[], number[]] = [[], []];
  const sender = createSender({
    ...{ url: gate.url, tenant, ...options },
    fetch: async (url, init) => {
      fetched += 1;
      fetching += 1;
      try {
        const answer = await fetch(url, init);
        const text = await answer.text();
        const numbers = numbersOf(JSON.parse(init!.body as string) as []);
        if (answer.ok && text.startsWith('{"accepted"')) {
          const { rejected } = JSON.parse(text) as { rejected: { index: number }[] };
          for (const [i, n] of numbers.entries()) {
            if (!rejected.some(({ index }) => index === i)) acknowledged.add(n);
          }
          order.push(...numbers);
        }
        return new Response(text, { status: answer.status, headers: answer.headers });
      } finally {
        fetching -= 1;
      }
    },
    onError: (_error, undelivered) => {
      sizes.push(undelivered.length);
      for (const n of numbersOf(undelivered.map(({ event }) => event) as []))
        reported.set(n, (reported.get(n) ?? 0) + 1);
    },
  });
  const isOver = (n: number) => acknowledged.has(n) || reported.has(n);
  const upTo = (end: number) => Array.from({ length: end }, (_, n) => n);

  /** Waits until something is so, or until so much time has passed. */
  async function pass(isSo: () => boolean, ms: number): Promise<boolean> {
    const late = { is: false };
    setTimeout(() => (late.is = true), ms);
    for (let idle = 0; !isSo() && !late.is;) {
      await new Promise((resolve) => setImmediate(resolve));
      if (fetching > gate.held) idle = 0;
      else if ((idle += 1) > 5) vi.advanceTimersToNextTimer();
    }
    return isSo();
  }

  /** Waits for a promise, which has to settle. */
  async function settled(promise: Promise<unknown>, ms = SETTLED_MS): Promise<void> {
    let isSettled = false;
    void promise.then(
      () => (isSettled = true),
      () => (isSettled = true),
    );
    expect(await pass(() => isSettled, ms), 'it settles').toBe(true);
  }

  async function take(step: Step): Promise<void> {
    if ('passMs' in step) {
      await pass(() => false, step.passMs);
      return;
    }
    if ('append' in step) {
      sender.append(step.append.map((kind) => eventOf(kind, appended++)));
      const waiting = upTo(appended).filter((n) => !isOver(n)).length;
      expect(waiting).toBeLessThanOrEqual(options.queueMax ?? 10_000);
      return;
    }
    if (step.flush === 'left at once') {
      const leaving = new AbortController();
      const flushed = sender.flush({ signal: leaving.signal });
      leaving.abort(new Error('left'));
      return settled(flushed);
    }
    // A server that never answers keeps a flush waiting, as it should.
    if (usual !== 'pass') {
      void sender.flush();
      return;
    }
    const before = appended;
    await settled(sender.flush());
    expect(upTo(before).filter((n) => !isOver(n))).toEqual([]);
  }

  for (const each of steps) await take(each);
  if (isFlushed) await take({ flush: 'to its end' });
  await settled(sender.close(), (options.closeMs ?? 5000) + 1);
  const sent = fetched;
  sender.append(eventOf('good', appended++));
  await settled(sender.flush());
  await settled(sender.close());
  await pass(() => false, 100_000);
  expect(fetched, 'nothing is sent after close').toBe(sent);

  const answer = await server.post(`/v1/api/query/${tenant}`, '{"pagination":{"size":1000}}', {
    'X-API-Key': apiKey,
  });
  const stored = numbersOf((await answer.json()) as []);
  // These were answered, but their answer was not seen.
  const uncertain = new Set(
    gate.passed
      .filter((each) => each.path.includes(`/${tenant}/`) && isForwarded(each.fault))
      .flatMap(({ events }) => numbersOf(events)),
  );
  for (const n of upTo(appended)) {
    const times = [stored.filter((each) => each === n).length, reported.get(n) ?? 0];
    const right = uncertain.has(n) && !acknowledged.has(n) ? ['0,1', '1,1'] : ['0,1', '1,0'];
    expect(right, `event ${n}: stored and reported ${times.join(' and ')} times`).toContain(times.join());
  }
  expect(sizes, 'each report names events').not.toContain(0);
  // What was sent again after a lost answer stands where it was acknowledged.
  expect(order).toEqual([...order].sort((a, b) => a - b));
}

it(
  'stores or reports each event once, settles, and stays within its bounds',
  { timeout: 600_000 },
  async () => {
    const gate = await openGate(server.origin);
    server.clock.advance(Date.now() - server.clock.now());
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await fc.assert(
      fc.asyncProperty(run, (each) => carryOut(each, gate)),
      { numRuns: casesOf(300) },
    );
  },
);
