import {
  compareCodePoints,
  EXAMPLE_LENGTH_MAX,
  EXAMPLES_MAX,
  isAskable,
  JSON_TYPES,
  PATHS_MAX,
  pathText,
  type EventQuery,
  type Ledger,
  type Properties,
  type Scalar,
} from '../../src/index.ts';
import {
  createDraft,
  EVERYTHING,
  writeWhere,
  type Draft,
  type Statement,
  type TreeDialect,
} from './compile.ts';

type Property = Properties['properties'][number];
type JsonType = keyof Property['types'];
type Row = Readonly<Record<string, unknown>>;

/** Asks the engine one statement. */
type Ask = (statement: Statement) => Promise<readonly Row[]>;

interface Asked {
  readonly tenantId: string;
  /** The name of the events. Absent: all. */
  readonly event: string | undefined;
  /** Where the rows that engines answer are booked. Absent: nowhere. */
  readonly ledger?: Ledger | undefined;
}

interface Source {
  readonly dialect: TreeDialect;
  readonly table: string;
  readonly tenantId: string;
  readonly query: EventQuery;
}

/** What the events that are asked about hold at one path, or at none: then only objects with odd keys. */
interface Held {
  readonly types: Partial<Record<JsonType, number>>;
  rest: number;
  readonly examples: Set<Scalar>;
}

/** Of how many levels engines are asked: what they take for one grows with the number of those above it. */
const LEVELS_MAX = 8;

/** How many rows of a level are taken: that many paths, each with all types, are too many. */
const ROWS_MAX = (PATHS_MAX + 1) * JSON_TYPES.length;

/** What a row takes beside its letters. */
const ROW_BYTES = 512;

const textOf = (segments: readonly string[]) => pathText({ root: 'properties', segments });

/**
 * Which paths the events of a tenant have, counted by the engine, a statement for each level of objects;
 * `table` as for a page. Nothing where objects lie deeper than an engine is asked for, there are more paths
 * than are told, or there is no room for the rows: whoever reads the events needs less, for it keeps no row.
 */
export async function propertiesBySql(
  dialect: TreeDialect,
  table: string,
  { tenantId, event, ledger }: Asked,
  ask: Ask,
): Promise<Properties | undefined> {
  const account = ledger?.account(tenantId);
  const askBooked = async (statement: Statement) => {
    const rows = await ask(statement);
    return account?.book(bytesOf(rows)) !== false ? rows : undefined;
  };
  try {
    return await readLevels(dialect, table, { tenantId, event }, askBooked);
  } finally {
    account?.release();
  }
}

/** What rows take, and what is put together of them, with what drivers read them from. */
function bytesOf(rows: readonly Row[]): number {
  const lengthOf = (value: unknown) => (Array.isArray(value) ? value.join('') : String(value)).length;
  return rows.reduce(
    (sum, row) =>
      Object.values(row).reduce<number>((all, value) => all + 4 * lengthOf(value), sum + ROW_BYTES),
    0,
  );
}

async function readLevels(
  dialect: TreeDialect,
  table: string,
  { tenantId, event }: Asked,
  ask: (statement: Statement) => Promise<readonly Row[] | undefined>,
): Promise<Properties | undefined> {
  const source = { dialect, table, tenantId, query: event === undefined ? EVERYTHING : ofName(event) };
  const found = new Map<string, Held>();
  /** The paths of each event name. */
  const paths = new Set<string>();
  for (let depth = 1; depth <= LEVELS_MAX; depth++) {
    const rows = await ask(selectLevel(source, depth));
    // What an engine leaves out may be a type of a path that is told.
    if (rows === undefined || rows.length === ROWS_MAX) return undefined;
    const odd: Row[] = [];
    for (const row of rows) {
      const keys = keysOf(row, depth);
      if (!isNamed(keys)) {
        odd.push(row);
        continue;
      }
      const path = textOf(keys);
      paths.add(JSON.stringify([path, row.event_name]));
      addRow(heldAt(found, path), row);
    }
    if (paths.size > PATHS_MAX) return undefined;
    if (odd.length > 0) {
      const holders = await ask(selectOdd(source, depth, odd));
      if (holders === undefined) return undefined;
      for (const row of holders) {
        heldAt(found, textOf(keysOf(row, depth - 1))).rest += Number(row.count);
      }
    }
    if (rows.every((row) => Number(row.count) === Number(row.empty) || row.type !== 'object')) {
      return answerOf(found);
    }
  }
  return undefined;
}

function ofName(event: string): EventQuery {
  const path = { root: 'eventName', segments: [] } as const;
  return { ...EVERYTHING, condition: { kind: 'test', path, operator: 'EQUALS', operand: event } };
}

const keyNames = (depth: number) => Array.from({ length: depth }, (_, i) => `k${i + 1}`);
const keysOf = (row: Row, depth: number) => keyNames(depth).map((name) => row[name] as string);

/** Whether a filter can name the last of some keys; those above it are such. */
function isNamed(keys: readonly string[]): boolean {
  const above = keys.slice(0, -1);
  return isAskable({ path: textOf(above), segments: above }, keys.at(-1)!);
}

/** What the events of each name hold at the keys of one level, by type. */
function selectLevel(source: Source, depth: number): Statement {
  const { typeOf, json, textOf: text, few, unitsOf } = source.dialect.tree;
  const draft = createDraft(source.dialect);
  const names = ['event_name', ...keyNames(depth)].join(', ');
  // What is no longer as JSON is no longer as a text; letters are counted only where that does not tell.
  const isShort = [`octet_length(${json})`, unitsOf(text)]
    .map((length) => `${length} <= ${EXAMPLE_LENGTH_MAX}`)
    .join(' or ');
  const isExample = `type in ('number', 'boolean') or type = 'string' and (${isShort})`;
  return {
    text: `select ${names}, type, count(*) as count, sum(case when value = '{}' then 1 else 0 end) as empty,
      ${few(isExample)} as examples
    from (select ${names}, value, ${typeOf} as type from (${rowsAt(source, depth, draft)}) entries) typed
    group by ${names}, type limit ${draft.bind(ROWS_MAX, 'number')}`,
    values: draft.values,
  };
}

/** How many objects have at least one of some keys that no filter can name. */
function selectOdd(source: Source, depth: number, odd: readonly Row[]): Statement {
  const draft = createDraft(source.dialect);
  const keys = keyNames(depth);
  const above = ['event_name', ...keys.slice(0, -1)].join(', ');
  const rows = rowsAt(source, depth, draft);
  const lists = keys.map((key) =>
    draft.bind(
      odd.map((row) => row[key]),
      'texts',
    ),
  );
  return {
    text: `select ${above}, count(distinct (ts, insert_id)) as count from (${rows}) entries
    where ${source.dialect.tree.isAmong(keys, lists)} group by ${above}`,
    values: draft.values,
  };
}

/** A row for each key of the objects of a level, with the keys above it. */
function rowsAt({ dialect, table, tenantId, query }: Source, depth: number, draft: Draft): string {
  return dialect.tree.entries(
    `${table} where ${writeWhere(dialect, tenantId, query, draft)}`,
    keyNames(depth),
  );
}

function heldAt(found: Map<string, Held>, path: string): Held {
  const held = found.get(path) ?? { types: {}, rest: 0, examples: new Set() };
  found.set(path, held);
  return held;
}

function addRow(held: Held, row: Row): void {
  const type = row.type as JsonType;
  held.types[type] = (held.types[type] ?? 0) + Number(row.count);
  if (type === 'object') held.rest += Number(row.empty);
  for (const example of row.examples as string[]) held.examples.add(JSON.parse(example) as Scalar);
}

function answerOf(found: ReadonlyMap<string, Held>): Properties {
  const root = textOf([]);
  // What lies below a key that no filter can name is told by no path.
  const properties = [...found]
    .filter(([path, { types }]) => path !== root && Object.keys(types).length > 0)
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(toProperty);
  return { properties, more: false, ...toRest(found.get(root)?.rest ?? 0) };
}

function toProperty([path, { types, rest, examples }]: readonly [string, Held]): Property {
  const inOrder = JSON_TYPES.flatMap((type) => (types[type] === undefined ? [] : [[type, types[type]]]));
  const few = [...examples].slice(0, EXAMPLES_MAX);
  return { path, types: Object.fromEntries(inOrder) as Property['types'], ...toRest(rest), examples: few };
}

const toRest = (rest: number) => (rest === 0 ? {} : { rest });
