import { isDeepStrictEqual } from 'node:util';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FAULTS } from './support/scale.ts';
import { toReport } from './support/expected.ts';
import { FORMS } from './support/forms.ts';
import { createFolder, createTenant, runSql, type TestTenant } from '../support/file.ts';
import { createRandom } from '../support/random.ts';
import { defectsIn, startServer } from '../support/server-process.ts';
import { askTenant, createBatch, sendPackedBatch, type SentEvent } from '../support/traffic.ts';

const BATCH_EVENTS = 2000;
/** Enough for one whole chunk of each column, or two, and some rows behind them. */
const BATCHES = FAULTS.long ? 35 : 17;

/** What is asked: every kind of column that is kept, the order included. */
const QUESTIONS: readonly (readonly ['query' | 'count' | 'names', object])[] = [
  ['count', {}],
  ['count', { event: 'purchase' }],
  ['count', { after: '2026-01-10', before: '2026-02-20' }],
  ['count', { filterSet: [{ property: 'properties.plan', comparison: 'NOT_EQUALS', value: 'pro' }] }],
  ['count', { filterSet: [{ property: 'properties.amount', comparison: 'GREATER_THAN', value: 50 }] }],
  ['count', { filterSet: [{ property: 'properties.nested.deep', comparison: 'CONTAINS', value: 'x' }] }],
  ['count', { filterSet: [{ property: 'userId', comparison: 'IN', value: ['user-1', 'user-77'] }] }],
  ['query', { event: 'signup', pagination: { size: 50, offset: 3000 } }],
  ['query', { before: '2026-01-31', pagination: { size: 20 } }],
  ['names', {}],
];

/** What is kept of them; a server makes more in idle time, sooner or later. */
const PATHS = [
  'eventTs',
  'eventName',
  'userId',
  'properties.plan',
  'properties.amount',
  'properties.nested.deep',
];

const CHUNK_COLUMNS = 'log, path, chunk, entries, codes, checksum';

interface ChunkRow {
  readonly log: number;
  readonly path: string;
  readonly chunk: number;
  readonly entries: string;
  readonly codes: Buffer;
  readonly checksum: number;
}

const random = createRandom(FAULTS.seed);

/** A way to damage a chunk: what is put in its place. `other` is an undamaged chunk of another place. */
type Damage = (row: ChunkRow, other: ChunkRow) => Partial<ChunkRow>;

const DAMAGES: Readonly<Record<string, Damage>> = {
  'random bytes': ({ codes }) => ({ codes: random.bytes(codes.length) }),
  'one byte changed': ({ codes }) => {
    const changed = Buffer.from(codes);
    changed[random.between(0, codes.length - 1)]! ^= 1;
    return { codes: changed };
  },
  'all zeros': ({ codes }) => ({ codes: Buffer.alloc(codes.length) }),
  'cut short': ({ codes }) => ({ codes: codes.subarray(0, codes.length / 2) }),
  empty: () => ({ codes: Buffer.alloc(0) }),
  'too long': ({ codes }) => ({ codes: Buffer.concat([codes, codes]) }),
  'no multiple of four': ({ codes }) => ({ codes: codes.subarray(1) }),
  'the chunk of another place': (_row, { entries, codes, checksum }) => ({ entries, codes, checksum }),
  'another value in the dictionary': ({ entries }) => ({
    entries: entries.replace(/[a-z0-9](?=[^a-z0-9]*$)/, '7'),
  }),
  'a dictionary that is no JSON': () => ({ entries: '[1,"' }),
  'a dictionary of another kind': () => ({ entries: '{"length":1e9}' }),
  'another checksum': ({ checksum }) => ({ checksum: checksum + 1 }),
};

const folder = createFolder();
const db = folder.file('columns.db');
let tenant: TestTenant;
let expected: unknown[];
let kept: readonly ChunkRow[];

beforeAll(async () => {
  tenant = await createTenant(db, 'shop');
  const server = await startServer({ db });
  const sent: SentEvent[] = [];
  for (let i = 0; i < BATCHES; i++) {
    const batch = createBatch(random, `b${i}`, BATCH_EVENTS);
    expect(toReport(await sendPackedBatch(server.origin, tenant.alias, batch)).accepted).toBe(BATCH_EVENTS);
    sent.push(...batch);
  }
  expected = await askAll(server.origin);
  const purchases = sent.filter(({ eventName }) => eventName === 'purchase').length;
  expect(expected.slice(0, 2)).toEqual([{ count: sent.length }, { count: purchases }]);
  await server.stop();
  kept = readChunks();
});

afterAll(() => folder.remove());

describe('a damaged column', () => {
  it('was kept before it is damaged', () => {
    // Five paths that questions name, and the order of events.
    expect(kept.length).toBeGreaterThanOrEqual(FAULTS.long ? 12 : 6);
  });

  it.each(rounds())(
    '%s: the answers are the same, and the chunks are written anew',
    async (_name, damages, args) => {
      damageAll(damages);
      expect(readChunks()).not.toEqual(kept);
      const server = await startServer({ db, args });
      try {
        // At once, so that where there are two workers both are asked.
        const answers = await Promise.all([askAll(server.origin), askAll(server.origin)]);
        expect(answers).toEqual([expected, expected]);
        // The chunks are written in idle time, which comes late on a busy machine.
        await expect.poll(isAsKept, { timeout: 60_000 }).toBe(true);
      } finally {
        await server.stop();
      }
      expect(defectsIn(server.log)).toEqual([]);
    },
  );

  it('while servers run: the one that has it in memory answers as the one that reads it', async () => {
    const first = await startServer({ db });
    try {
      expect(await askAll(first.origin)).toEqual(expected);
      damageAll([DAMAGES['random bytes']!]);
      const second = await startServer({ db });
      try {
        expect(await askAll(first.origin)).toEqual(expected);
        expect(await askAll(second.origin)).toEqual(expected);
      } finally {
        await second.stop();
      }
    } finally {
      await first.stop();
    }
    expect(readChunks()).toEqual(kept);
  });

  it('deleted altogether, it is made again', async () => {
    runSql(db, 'DELETE FROM column_chunks');
    const server = await startServer({ db });
    try {
      expect(await askAll(server.origin)).toEqual(expected);
    } finally {
      await server.stop();
    }
    expect(readChunks().map(({ codes }) => codes)).toEqual(kept.map(({ codes }) => codes));
  });
});

async function askAll(origin: string): Promise<unknown[]> {
  const answers: unknown[] = [];
  for (const [question, body] of QUESTIONS) {
    const answer = await askTenant(origin, tenant, question, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    answers.push(answer.body);
  }
  return answers;
}

/** Each damage on each chunk takes a while, so the normal run gives every chunk another one. */
function rounds(): [string, Damage[], readonly string[]][] {
  const all = Object.values(DAMAGES);
  if (FAULTS.long) {
    return Object.entries(DAMAGES).map(([name, damage], i) => [name, [damage], FORMS[i % 2]!.args]);
  }
  const turns = [0, 6].map((shift, i): [string, Damage[], readonly string[]] => [
    `every chunk damaged in another way, from way ${shift} on, ${FORMS[i]!.form}`,
    [...all.slice(shift), ...all.slice(0, shift)],
    FORMS[i]!.args,
  ]);
  const swapped = 'the chunk of another place';
  return [...turns, [swapped, [DAMAGES[swapped]!], []]];
}

function readChunks(): ChunkRow[] {
  const kept = `FROM column_chunks WHERE path IN ('${PATHS.join("', '")}') ORDER BY log, path, chunk`;
  return runSql(db, `SELECT ${CHUNK_COLUMNS} ${kept}`) as ChunkRow[];
}

function isAsKept(): boolean {
  return isDeepStrictEqual(readChunks(), kept);
}

/** Damages every chunk; the ways take turns. */
function damageAll(damages: readonly Damage[]): void {
  const rows = readChunks();
  const update =
    'UPDATE column_chunks SET entries = ?, codes = ?, checksum = ? WHERE log = ? AND path = ? AND chunk = ?';
  const database = new Database(db);
  database.transaction(() => {
    for (const [i, row] of rows.entries()) {
      const other = rows[(i + 3) % rows.length]!;
      const { entries, codes, checksum } = { ...row, ...damages[i % damages.length]!(row, other) };
      database.prepare(update).run(entries, codes, checksum, row.log, row.path, row.chunk);
    }
  })();
  database.close();
}
