import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { clickhouseEvents, type ClickhouseClient } from '../../../adapters/clickhouse/index.ts';
import { isAborted } from '../../../src/index.ts';
import { EVERYTHING } from '../../conformance/expected.ts';
import { HAS_CLICKHOUSE, startClickhouse, type ClickhouseServer } from './clickhouse-server.ts';
import { testResources } from '../../support/resources.ts';
import { askEveryQuestion } from '../sql/every-question.ts';

if (!HAS_CLICKHOUSE) {
  it('THE SHARES OF CLICKHOUSE WERE NOT TESTED: npm install --prefix test/clickhouse', () => undefined);
}

const WAIT = { timeout: 100_000, interval: 20 };

describe.runIf(HAS_CLICKHOUSE)('the connections of ClickHouse', () => {
  let server: ClickhouseServer;
  beforeAll(async () => void (server = await startClickhouse()));
  afterAll(() => server.stop());

  /**
   * Events over a client, and what they were told: its counts, or all that it is asked, are held until they
   * are let go.
   */
  async function openHeld(begin = 'select count(*)') {
    const client = server.connect();
    let isHeld = false;
    const held: (() => void)[] = [];
    const signals: AbortSignal[] = [];
    const holding: ClickhouseClient = {
      insert: (call) => client.insert(call),
      query: async (call) => {
        if (isHeld && call.query.startsWith(begin)) {
          signals.push(call.abort_signal!);
          await new Promise<void>((resolve, reject) => {
            held.push(resolve);
            call.abort_signal!.addEventListener('abort', () => reject(new Error('The request was aborted.')));
          });
        }
        return client.query(call);
      },
    };
    const { events } = await clickhouseEvents({ resources: testResources(), client: holding });
    isHeld = true;
    return {
      counts: (tenant: string, times: number, signal?: { readonly aborted: boolean }) =>
        Array.from({ length: times }, () => events.count(tenant, EVERYTHING, signal)),
      events,
      signals,
      letGo: () => {
        isHeld = false;
        for (const go of held) go();
      },
    };
  }

  it('are not one tenant’s alone: it has half of them, the next some of what is left', async () => {
    const { counts, signals, letGo } = await openHeld();
    const all = counts('loud', 30);
    expect(signals.length).toBe(5);
    all.push(...counts('quiet', 1));
    expect(signals.length).toBe(6);
    letGo();
    expect(await Promise.all(all)).toEqual(Array<number>(31).fill(0));
  });

  it('are free again for others when a client leaves, whose statements are aborted', async () => {
    const { counts, events, signals, letGo } = await openHeld();
    const signal = { aborted: false };
    const left = counts('loud', 9, signal).map((each) => each.then(() => 'answered', isAborted));
    signal.aborted = true;
    expect(await Promise.all(left)).toEqual(Array<boolean>(9).fill(true));
    expect(signals.map(({ aborted }) => aborted)).toEqual(Array<boolean>(5).fill(true));
    expect(await events.eventNames('loud')).toEqual([]);
    letGo();
    await vi.waitUntil(async () => (await Promise.all(counts('loud', 6))).length === 6, WAIT);
  });

  it('are free again when a client leaves, whatever was asked', async () => {
    const { events, signals } = await openHeld('');
    const signal = { aborted: false };
    const left = askEveryQuestion(events, signal).map((each) => each.then(() => 'answered', isAborted));
    await vi.waitUntil(() => signals.length === left.length, WAIT);
    signal.aborted = true;
    expect(await Promise.all(left)).toEqual(Array<boolean>(left.length).fill(true));
    expect(signals.map(({ aborted }) => aborted)).toEqual(Array<boolean>(left.length).fill(true));
  });
});
