import Database from 'better-sqlite3';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SqliteDatabase } from '../../../adapters/sqlite/index.ts';
import { prepareFindBelow } from '../../../adapters/sqlite/log/listing.ts';
import { canonicalJson } from '../../../src/core/event/canonical-json.ts';
import type { JsonObject } from '../../../src/index.ts';
import { LogGoneError, valueBelow, type Path } from '../../../src/store-kit.ts';
import { properties } from '../../conformance/arbitraries/events.ts';
import { KEYS } from '../../conformance/arbitraries/traps.ts';

/** Where the ids of the rows begin. */
const BASE = 2 ** 32;

/** Rows of these properties, and how the listings of them ran. */
function openRows(list: readonly JsonObject[]) {
  const database = new Database(':memory:');
  database.exec('CREATE TABLE events (id INTEGER PRIMARY KEY, properties BLOB NOT NULL)');
  const insert = database.prepare('INSERT INTO events VALUES (?, jsonb(?))');
  const insertAll = database.transaction(() =>
    list.forEach((own, row) => insert.run(BASE + row, canonicalJson(own, 'properties'))),
  );
  insertAll();
  const ran: ('rare' | 'each')[] = [];
  const telling: SqliteDatabase = {
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
    prepare(sql) {
      const statement = database.prepare(sql);
      const get = (...values: unknown[]) => {
        ran.push(sql.includes('FILTER') ? 'rare' : 'each');
        return statement.get(...values);
      };
      return {
        get,
        run: (...values) => statement.run(...values),
        all: (...values) => statement.all(...values),
        iterate: (...values) => statement.iterate(...values),
      };
    },
  };
  const findBelow = prepareFindBelow(telling)();
  const read = (paths: readonly Path[], from: number, to: number, erased: readonly number[] = []) => {
    const hidden = erased.filter((row) => row >= from && row < to);
    const rows = to - from - hidden.length;
    const listed = { first: BASE + from, end: BASE + to, hidden: hidden.map((row) => BASE + row), rows };
    return findBelow(paths, listed).values.map((values) => values.map((value) => value ?? null));
  };
  return { database, ran, read };
}

/** What is left of properties in a canonical text. */
const stored = (own: JsonObject) => JSON.parse(canonicalJson(own, 'properties')) as JsonObject;

const pathOf = (...segments: string[]): Path => ({ root: 'properties', segments });

it('what a rare path finds is what a walk through the parsed properties finds', () => {
  const segments = fc.array(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 });
  const paths = fc.array(segments, { minLength: 1, maxLength: 4 });
  const rows = fc.array(fc.record({ own: properties, isErased: fc.boolean() }), {
    minLength: 1,
    maxLength: 10,
  });
  let rare = 0;
  fc.assert(
    fc.property(rows, paths, (list, asked) => {
      const none = Array.from({ length: 16 }, () => ({}));
      const all = [...none, ...list.map(({ own }) => own)];
      const erased = list.flatMap(({ isErased }, i) => (isErased ? [none.length + i] : []));
      const { database, ran, read } = openRows(all);
      const below = asked.map((keys) => pathOf(...keys));
      const expected = asked.map((keys) => all.map((own) => valueBelow(stored(own), keys) ?? null));
      const between = (from: number, gone: readonly number[]) =>
        expected.map((values) => values.filter((_, row) => row >= from && !gone.includes(row)));
      // Nothing has it at first, so that it is taken for rare in what follows.
      read(below, 0, none.length);
      expect(read(below, none.length, all.length)).toEqual(between(none.length, []));
      // What it is taken for now hangs on what was found.
      read(below, 0, none.length);
      expect(read(below, none.length, all.length, erased)).toEqual(between(none.length, erased));
      rare += ran.filter((how) => how === 'rare').length;
      database.close();
    }),
    { numRuns: 300 },
  );
  expect(rare).toBeGreaterThan(100);
});

it('a path is taken for rare where few rows of a step have it, and that is looked at again', () => {
  const { ran, read } = openRows(Array.from({ length: 64 }, (_, row) => (row % 16 === 0 ? { p: row } : {})));
  const p = [pathOf('p')];
  for (let step = 0; step < 20; step++) read(p, 0, 64);
  expect(ran).toEqual(['each', ...Array<string>(15).fill('rare'), 'each', ...Array<string>(3).fill('rare')]);
  ran.length = 0;
  // Of another path nothing is known yet, nor of both together.
  read([pathOf('q')], 0, 64);
  read([...p, pathOf('q')], 0, 64);
  expect(ran).toEqual(['each', 'each']);
});

it('a path is rare no more behind a step whose rows have it', () => {
  const { ran, read } = openRows(Array.from({ length: 128 }, (_, row) => (row < 64 ? {} : { p: row })));
  for (const from of [0, 0, 64, 64]) read([pathOf('p')], from, from + 64);
  expect(ran).toEqual(['each', 'rare', 'rare', 'each']);
});

it('a path that is null everywhere has nothing to find', () => {
  const { ran, read } = openRows(Array.from({ length: 64 }, () => ({ p: null, q: { p: null } })));
  for (const paths of [[pathOf('p')], [pathOf('q', 'p'), pathOf('p')]]) {
    for (let step = 0; step < 3; step++) expect(read(paths, 0, 64)[0]).toEqual(new Array(64).fill(null));
  }
  expect(ran).toEqual(['each', 'rare', 'rare', 'each', 'rare', 'rare']);
});

it('a path that one of eight rows has is not rare, alone or beside one that none has', () => {
  const { ran, read } = openRows(Array.from({ length: 64 }, (_, row) => (row % 8 === 0 ? { p: row } : {})));
  for (const paths of [[pathOf('p')], [pathOf('q'), pathOf('p')]]) {
    for (let step = 0; step < 3; step++) read(paths, 0, 64);
  }
  expect(ran).not.toContain('rare');
});

it('rows that were swept away are missed, whether they had the path or not', () => {
  const { database, read } = openRows(Array.from({ length: 64 }, () => ({})));
  read([pathOf('p')], 0, 32);
  database.exec(`DELETE FROM events WHERE id = ${BASE + 40}`);
  expect(() => read([pathOf('p')], 32, 64)).toThrow(LogGoneError);
});

it('what is remembered of rare paths is bounded', () => {
  const { ran, read } = openRows(Array.from({ length: 16 }, () => ({})));
  for (let i = 0; i < 300; i++) read([pathOf(`p${i}`)], 0, 16);
  ran.length = 0;
  read([pathOf('p0')], 0, 16);
  read([pathOf('p299')], 0, 16);
  expect(ran).toEqual(['each', 'rare']);
});
