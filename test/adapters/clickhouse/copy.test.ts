import * as fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toEventJson } from '../../../src/internal.ts';
import { batchesOf } from '../../conformance/arbitraries/events.ts';
import { createRandom } from '../../support/random.ts';
import { createBatch, type SentEvent } from '../../support/traffic.ts';
import { createPlace, type Place } from '../cli/command.ts';
import { toNdjson } from '../cli/ndjson.ts';
import { HAS_POSTGRES, startPostgres, type PostgresServer } from '../postgres/postgres-server.ts';
import { HAS_CLICKHOUSE, startClickhouse, type ClickhouseServer } from './clickhouse-server.ts';

const HAS_BOTH = HAS_POSTGRES && HAS_CLICKHOUSE;
if (!HAS_BOTH) {
  it('A COPY FROM STORE TO STORE WAS NOT TESTED: install postgresql and test/clickhouse', () => undefined);
}

/** Questions whose answers are the same wherever the events are. */
const QUESTIONS: readonly (readonly string[])[] = [
  ['count'],
  ['names'],
  ['count', '--filter', 'properties.amount GREATER_THAN 50', '--filter', 'properties.plan NOT_EQUALS "pro"'],
  ['count', '--filter', 'properties.nested.deep CONTAINS 7', '--after', '2026-01-20'],
  ['count', '--filter', 'properties.plan IS_NULL'],
  ['query', '--json', '--filter', 'properties.note STARTS_WITH "nnnn"'],
  ['breakdown', '--json', '--by', 'properties.plan', '--distinct', 'userId'],
  ['breakdown', '--json', '--by', 'properties.a'],
  ['breakdown', '--json', '--by', 'week', '--after', '2026-01-01'],
];

describe.runIf(HAS_BOTH)('a tenant that moves SQLite -> PostgreSQL -> ClickHouse -> SQLite', () => {
  let postgres: PostgresServer;
  let clickhouse: ClickhouseServer;
  let place: Place;
  /** The flags of each place, in the order of the journey. */
  let stations: readonly (readonly string[])[];

  beforeAll(async () => {
    [postgres, clickhouse] = await Promise.all([startPostgres(), startClickhouse()]);
    place = createPlace();
    const sql = await postgres.url('journey');
    const houses = `${clickhouse.url.replace('http', 'clickhouse')}/journey`;
    stations = [
      ['--events', `sqlite:${place.db}`],
      ['--events', sql],
      ['--events', houses, '--control', sql],
      ['--events', `sqlite:${place.folder}/last.db`],
    ];
    await place.ok(['tenant', 'create', 'shop', '--plan', 'growth']);
    await place.import('shop', toNdjson(createBatch(createRandom(5), 'plain', 3000)));
    const odd = fc
      .sample(batchesOf({ batches: 3, size: 25 }), { seed: 5, numRuns: 30 })
      .flat(2)
      // What lies in the future is not taken.
      .filter(({ eventTs }) => eventTs < Date.UTC(2026, 0, 1));
    await place.import('shop', odd.map((event) => `${toEventJson(event)}\n`).join(''));
  });
  afterAll(async () => {
    place.remove();
    await Promise.all([postgres.stop(), clickhouse.stop()]);
  });

  async function ask(flags: readonly string[]): Promise<string[]> {
    const answers: string[] = [];
    for (const [command, ...rest] of QUESTIONS) {
      answers.push(await place.ok([command!, 'shop', ...rest, ...flags]));
    }
    return answers;
  }

  it('answers the same everywhere, and exports the same bytes at the end', async () => {
    const [first, sql, houses, last] = stations.map(([, url]) => url!);
    const legs = [
      ['--from', first!, '--to', sql!],
      ['--from', sql!, '--to', houses!, '--control', sql!],
      ['--from', houses!, '--to', last!, '--control', sql!, '--to-control', last!],
    ];
    for (const leg of legs) {
      const { code, stderr } = await place.run(['copy', 'shop', ...leg]);
      expect([code, stderr]).toEqual([0, '']);
    }
    const answers = [];
    for (const station of stations) answers.push(await ask(station));
    expect(answers[0]![0]).toMatch(/^3\d\d\d\n$/);
    for (const answer of answers.slice(1)) expect(answer).toEqual(answers[0]);
    const exports = [];
    for (const station of stations) exports.push(await place.ok(['export', 'shop', ...station]));
    for (const lines of exports.slice(1)) expect(lines).toBe(exports[0]);
  }, 180_000);

  it('is followed from a store that does not tell what arrived', async () => {
    const [, sql] = stations.map(([, url]) => url!);
    const target = `sqlite:${place.folder}/followed.db`;
    const child = place.start(['copy', 'shop', '--from', sql!, '--to', target, '--follow']);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let said = '';
    child.stderr!.on('data', (text: Buffer) => (said += text.toString()));
    await expect.poll(() => said).toContain('following');
    const [late] = createBatch(createRandom(6), 'late', 1) as [SentEvent];
    const content = toNdjson([{ ...late, eventTs: '1999-01-01T00:00:00.000Z' }]);
    await place.import('shop', content, '--events', sql!);
    const count = (url: string) => place.ok(['count', 'shop', '--events', url]);
    const all = await count(sql!);
    await expect.poll(() => count(target)).toBe(all);
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  }, 180_000);

  it('is followed to a store that is away for a while', async () => {
    const [first, sql] = stations.map(([, url]) => url!);
    const child = place.start(['copy', 'shop', '--from', first!, '--to', sql!, '--follow']);
    const ended = new Promise((resolve) => child.once('exit', resolve));
    let said = '';
    child.stderr!.on('data', (text: Buffer) => (said += text.toString()));
    // What the test before has stored there is not in the first place.
    const { stdout } = await place.run(['export', 'shop', '--events', sql!]);
    await place.import('shop', stdout, '--events', first!);
    await expect.poll(() => said).toContain('following');
    postgres.signal('SIGQUIT');
    await place.import('shop', toNdjson(createBatch(createRandom(8), 'meanwhile', 5)), '--events', first!);
    await expect.poll(() => said).toContain('trying again');
    await postgres.restart();
    const count = (url: string) => place.ok(['count', 'shop', '--events', url]);
    const all = await count(first!);
    await expect
      .poll(() => place.run(['count', 'shop', '--events', sql!]))
      .toMatchObject({
        stdout: all,
      });
    child.kill('SIGINT');
    expect(await ended).toBe(0);
  }, 180_000);
});
