import type { MemoryBudget, Properties } from '../../src/index.ts';
import {
  compareCodePoints,
  EQUALITY,
  EXAMPLES_MAX,
  JSON_TYPES,
  PATHS_MAX,
  PROPERTIES_LENGTH_MAX,
  type EventQuery,
  type JsonType,
  type Property,
  type Scalar,
} from '../../src/store-kit.ts';
import { EVERYTHING, type Statement, type TreeDialect } from './compile.ts';
import {
  bytesOf,
  isNamed,
  keysOf,
  ROWS_MAX,
  selectLevel,
  selectOdd,
  textOf,
  type AskRows,
  type Row,
  type Source,
} from './property-levels.ts';

/** The request for properties. */
export interface AskedProperties {
  /** The tenant of the events. */
  readonly tenantId: string;
  /** The name of the events. Default: all. */
  readonly event: string | undefined;
  /** The memory budget for the result rows. */
  readonly memory: MemoryBudget;
}

/** What the events hold at one path, or at no path: then only objects with keys that filters cannot name. */
interface Held {
  readonly types: Partial<Record<JsonType, number>>;
  rest: number;
  arraysOfObjects: number;
  readonly examples: Set<Scalar>;
}

/** How many levels are queried, since the cost of a level grows with the number of levels above it. */
const LEVELS_MAX = 8;

/**
 * The paths that the events of a tenant have, counted by the engine with one statement for each level of
 * objects; `table` as for a page. Returns undefined if objects lie deeper than this, there are more paths or
 * longer texts than can be returned, or the rows exceed the memory budget: reading the events instead needs
 * less memory, because it keeps no rows.
 */
export async function propertiesBySql(
  dialect: TreeDialect,
  table: string,
  { tenantId, event, memory }: AskedProperties,
  ask: AskRows,
): Promise<Properties | undefined> {
  const reservation = memory.reservation(tenantId);
  const askBooked = async (statement: Statement) => {
    const rows = await ask(statement);
    return reservation.reserve(bytesOf(rows)) ? rows : undefined;
  };
  try {
    const query = event === undefined ? EVERYTHING : ofName(event);
    return await readLevels({ dialect, table, tenantId, query }, askBooked);
  } finally {
    reservation.release();
  }
}

/** The approximate total length of the paths of each event name and the examples. */
function lengthOf(paths: ReadonlySet<string>, found: ReadonlyMap<string, Held>): number {
  let length = 0;
  for (const path of paths) length += path.length;
  for (const { examples } of found.values()) {
    for (const example of examples) length += String(example).length;
  }
  return length;
}

async function readLevels(
  source: Source,
  ask: (statement: Statement) => Promise<readonly Row[] | undefined>,
): Promise<Properties | undefined> {
  const found = new Map<string, Held>();
  /** The paths of each event name. */
  const paths = new Set<string>();
  for (let depth = 1; depth <= LEVELS_MAX; depth++) {
    const rows = await ask(selectLevel(source, depth));
    // A truncated result may lack a type of a path.
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
      return lengthOf(paths, found) > PROPERTIES_LENGTH_MAX ? undefined : answerOf(found);
    }
  }
  return undefined;
}

function ofName(event: string): EventQuery {
  const path = { root: 'eventName', segments: [] } as const;
  return { ...EVERYTHING, condition: { kind: 'test', path, operator: EQUALITY, operand: event } };
}

function heldAt(found: Map<string, Held>, path: string): Held {
  const held = found.get(path) ?? { types: {}, rest: 0, arraysOfObjects: 0, examples: new Set() };
  found.set(path, held);
  return held;
}

function addRow(held: Held, row: Row): void {
  const type = row.type as JsonType;
  held.types[type] = (held.types[type] ?? 0) + Number(row.count);
  if (type === 'object') held.rest += Number(row.empty);
  if (type === 'array') held.arraysOfObjects += Number(row.holding);
  for (const example of row.examples as string[]) held.examples.add(JSON.parse(example) as Scalar);
}

function answerOf(found: ReadonlyMap<string, Held>): Properties {
  const root = textOf([]);
  // No path describes the values below a key that no filter can name.
  const properties = [...found]
    .filter(([path, { types }]) => path !== root && Object.keys(types).length > 0)
    .sort(([a], [b]) => compareCodePoints(a, b))
    .map(toProperty);
  return { properties, more: false, ...toRest(found.get(root)?.rest ?? 0) };
}

function toProperty([path, held]: readonly [string, Held]): Property {
  const { types, rest, arraysOfObjects, examples } = held;
  const inOrder = JSON_TYPES.flatMap((type) => (types[type] === undefined ? [] : [[type, types[type]]]));
  const few = [...examples].slice(0, EXAMPLES_MAX);
  return {
    ...{ path, types: Object.fromEntries(inOrder) as Property['types'] },
    ...toRest(rest),
    ...(arraysOfObjects === 0 ? {} : { arraysOfObjects }),
    examples: few,
  };
}

const toRest = (rest: number) => (rest === 0 ? {} : { rest });
