import type { JsonObject } from '../../../src/index.ts';
import {
  createBoundedMap,
  LogGoneError,
  valueBelow,
  type FoundValue,
  type Path,
} from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';

/** How many paths SQLite looks up in each event: of more, the whole text is parsed sooner. */
const LOOKUPS_MAX = 8;

/** Keys that SQLite's own JSON paths can name in every version; others are looked up in JavaScript. */
const PLAIN_KEY = /^[^"\\\p{Cc}]+$/u;

/**
 * A path is rare that fewer than one of so many rows of a step have: in those that have it it is looked up
 * twice, which is the slower way from about one of four on.
 */
const RARE_SHARE = 8;

/** For how many steps a path is taken for rare: then rows that have it, and bytes, are counted again. */
const RARE_STEPS = 15;

/** Of how many paths at most it is remembered that they are rare. */
const REMEMBERED_MAX = 256;

/** A range of ids, and which of them are of rows that were erased. */
export interface Listed {
  readonly first: number;
  readonly end: number;
  readonly hidden: readonly number[];
  /** How many rows there are without the hidden ones. */
  readonly rows: number;
  /** The ids of the only rows that are listed, where they are not all of the range. */
  readonly ids?: readonly number[] | undefined;
}

/** How much was read, and how many bytes of properties where that was asked. */
export interface ReadSize {
  readonly rows: number;
  readonly bytes: number | null;
}

interface ListRow extends ReadSize {
  readonly list: string;
}

/** Lists what was found in rows; `more` is bound before them. */
type ListRows = (listed: Listed, ...more: readonly string[]) => ListRow;

/** Prepares the listing of rows: many come as one JSON array, several times faster than row by row. */
function prepareList(database: SqliteDatabase, list: string, bytes: string): ListRows {
  // An index could serve the ids too, but only the table has all other columns.
  const prepare = (from: string) =>
    database.prepare(`SELECT ${list} AS list, count(*) AS rows, ${bytes} AS bytes FROM ${from}`);
  const inRange = 'events NOT INDEXED WHERE events.id >= ? AND events.id < ?';
  const listAll = prepare(inRange);
  const listOthers = prepare(`${inRange} AND events.id NOT IN (SELECT value FROM json_each(?))`);
  const listSome = prepare('json_each(?) AS wanted CROSS JOIN events ON events.id = wanted.value');

  function run({ first, end, hidden, ids }: Listed, more: readonly string[]): ListRow {
    if (ids !== undefined) return listSome.get(...more, JSON.stringify(ids)) as ListRow;
    if (hidden.length === 0) return listAll.get(...more, first, end) as ListRow;
    return listOthers.get(...more, first, end, JSON.stringify(hidden)) as ListRow;
  }

  return (listed, ...more) => {
    const row = run(listed, more);
    const { rows } = listed;
    // Rows that were swept away must not shift those after them.
    if (row.rows !== rows) throw new LogGoneError('The log was erased.');
    return row;
  };
}

/** What a field holds in rows. */
export type ListField = (listed: Listed) => readonly FoundValue[];

/** Prepares the listing of a field. */
export function prepareField(database: SqliteDatabase, column: string): ListField {
  const list = prepareList(database, `json_group_array(${column})`, 'NULL');
  return (listed) => JSON.parse(list(listed).list) as readonly FoundValue[];
}

/** What paths below properties find in rows, a list for each path, and how much was read for it. */
export interface FoundBelow {
  readonly values: readonly (readonly FoundValue[])[];
  readonly size: ReadSize;
}

/** Finds it, in one look at each event. */
export type FindBelow = (paths: readonly Path[], listed: Listed) => FoundBelow;

/** A row that has one of the paths: what one path finds there, or a list for several. */
type Hit = readonly [id: number, found: FoundValue];

/**
 * Prepares the search for paths below properties. What it makes is for one log, since it remembers which are
 * rare there: of these only the rows that have one leave the engine, and no bytes are added up. Both together
 * took a sixth of the engine's time for a path that hardly any event has.
 */
export function prepareFindBelow(database: SqliteDatabase): () => FindBelow {
  const prepare = (list: string) => prepareList(database, list, 'sum(length(properties))');
  const listProperties = prepare('json_group_array(json(properties))');
  const listEach = once((count) => prepare(`json_group_array(${lookUp(count, 'json_array')})`));
  const listRare = once((count) => {
    const hit = `json_array(events.id, ${lookUp(count, 'json_array')})`;
    // As a value of SQL, the null of JSON is none.
    const isHit = `${lookUp(count, 'coalesce', '->>')} IS NOT NULL`;
    return prepareList(database, `json_group_array(${hit}) FILTER (WHERE ${isHit})`, 'NULL');
  });

  return () => {
    /** For how many steps yet some paths are taken for rare. */
    const rare = createBoundedMap<string, number>(REMEMBERED_MAX);

    /** What the engine finds in each row. */
    function lookUpAll(jsonPaths: readonly string[], listed: Listed) {
      const count = jsonPaths.length;
      const key = jsonPaths.join();
      const steps = rare.get(key) ?? 0;
      // Where a row of a list is tells only its place in the list.
      if (steps > 0 && listed.ids === undefined) {
        const size = listRare(count)(listed, ...jsonPaths, ...jsonPaths);
        const hits = JSON.parse(size.list) as readonly Hit[];
        // Where it is rare no more, the next step learns what such events take.
        rare.set(key, hits.length * RARE_SHARE < listed.rows ? steps - 1 : 0);
        return { found: spread(hits, listed), size };
      }
      const size = listEach(count)(listed, ...jsonPaths);
      const found = JSON.parse(size.list) as readonly FoundValue[];
      if (listed.ids === undefined && areFew(found, count)) rare.set(key, RARE_STEPS);
      return { found, size };
    }

    return (paths, listed) => {
      const jsonPaths = paths.map(({ segments }) => toJsonPath(segments));
      if (paths.length > LOOKUPS_MAX || jsonPaths.includes(undefined)) {
        const size = listProperties(listed);
        const all = JSON.parse(size.list) as readonly JsonObject[];
        return { values: paths.map(({ segments }) => all.map((own) => valueBelow(own, segments))), size };
      }
      const { found, size } = lookUpAll(jsonPaths as string[], listed);
      if (paths.length === 1) return { values: [found], size };
      const lists = found as readonly (readonly FoundValue[] | undefined)[];
      return { values: paths.map((_, i) => lists.map((list) => list?.[i])), size };
    };
  };
}

/** Makes a statement for each number when it is first asked for. */
function once(make: (count: number) => ListRows): (count: number) => ListRows {
  const made: ListRows[] = [];
  return (count) => (made[count] ??= make(count));
}

/** Looks some paths up: one by itself, several as what a function makes of them. */
function lookUp(count: number, together: string, operator = '->'): string {
  const lookups = new Array<string>(count).fill(`properties ${operator} ?`).join(', ');
  return count === 1 ? lookups : `${together}(${lookups})`;
}

/** Whether the rows where one of the paths finds something are few. */
function areFew(list: readonly unknown[], count: number): boolean {
  let left = list.length / RARE_SHARE;
  for (const found of list) {
    const isHit = count === 1 ? found !== null : (found as readonly unknown[]).some((one) => one !== null);
    if (isHit && (left -= 1) <= 0) return false;
  }
  return true;
}

/** Puts what was found where its row is: those that were erased have no place. */
function spread(hits: readonly Hit[], { first, hidden, rows }: Listed): FoundValue[] {
  const values = new Array<FoundValue>(rows).fill(undefined);
  let before = 0;
  for (const [id, found] of hits) {
    while (before < hidden.length && hidden[before]! < id) before += 1;
    values[id - first - before] = found;
  }
  return values;
}

function toJsonPath(segments: Path['segments']): string | undefined {
  return segments.every((segment) => PLAIN_KEY.test(segment))
    ? `$${segments.map((segment) => `."${segment}"`).join('')}`
    : undefined;
}
