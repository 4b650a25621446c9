import type { JsonObject, JsonValue } from '../../../src/index.ts';
import { isJsonObject } from '../../../src/internal.ts';
import { ANONYMOUS } from '../../../src/transport-kit.ts';
import {
  DECIMALS,
  type CellSource,
  type CellType,
  type Decimal,
  type FileLayout,
  type OptionWords,
} from '../base/options.ts';
import { NUMBER, toPlainNumber } from './csv.ts';
import { findDateFormat } from './date-format.ts';
import { exactNumber } from './exact-number.ts';
import { isDay } from './instants.ts';

/** Names of columns that often hold a field, as they are without case and punctuation; likeliest first. */
const USUAL = {
  eventName: ['eventname', 'event', 'eventtype', 'action', 'aktion', 'ereignis', 'activity', 'type', 'name'],
  userId: [
    'userid',
    'distinctid',
    'uid',
    'customerid',
    'accountid',
    'anonymousid',
    'user',
    'customer',
    'kunde',
    'benutzer',
    'utilisateur',
    'email',
  ],
  eventTs: [
    'eventts',
    'timestamp',
    'eventtime',
    'occurredat',
    'createdat',
    'created',
    'time',
    'datetime',
    'ts',
    'date',
    'collectortstamp',
    'derivedtstamp',
    'datum',
  ],
  insertId: ['insertid', 'eventid', 'messageid', 'uuid', 'id'],
} as const;

/** Names of columns that hold a user only where a row has none in the column that is likeliest. */
const USUAL_SECOND = [
  ...['anonymousid', 'distinctid', 'visitorid', 'deviceid', 'clientid', 'userpseudoid', 'sessionid'],
  ...USUAL.userId,
];
/** Names of columns that hold a time of day, where several columns look like one. */
const USUAL_CLOCK = ['time', 'uhrzeit', 'zeit', 'heure', 'hora', 'ora', 'tijd', 'clock', 'timeofday'];

/** What is said already, or was found, of a table for which options are proposed. */
export interface Found {
  readonly encoding?: string;
  readonly timeZone?: string;
  /** Whether values have types already, and names are paths, as in JSON. */
  readonly isJson?: boolean;
  readonly words: OptionWords;
}

/** Options that are proposed for a file, and what to know of them. */
export interface Proposal {
  readonly layout: FileLayout & Required<Pick<FileLayout, 'map'>>;
  readonly notes: readonly string[];
}

/**
 * Proposes options for a table by the names of its columns and its first rows, so that an import with them
 * takes every row that can be taken. A `?` stands for what the file does not say.
 */
export function proposeLayout(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  { encoding, timeZone, isJson = false, words }: Found,
): Proposal {
  const cellsOf = (name: string) =>
    rows.map((row) => row[header.indexOf(name)] ?? '').filter((cell) => cell !== '');
  const { columns, taken } = findColumns(header, isJson, cellsOf);
  const time = columns.get('eventTs') ?? '';
  const clock = time === '?' ? undefined : findClock(header, time, { taken, cellsOf });
  if (clock !== undefined) taken.add(clock);
  const whole = (row: readonly string[]) =>
    [time, clock ?? ''].map((name) => row[header.indexOf(name)] ?? '');
  const times = proposeTimes(
    rows.map((row) => whole(row).join(' ').trim()).filter((cell) => cell !== ''),
    words,
    timeZone,
  );
  const isClockMissing =
    clock !== undefined && rows.some((row) => whole(row)[0] !== '' && whole(row)[1] === '');
  const map = [...columns].map(([field, name]): [string, CellSource | readonly CellSource[]] => {
    if (field === 'userId' && name !== '?') return [field, single(usersOf(name, header, { taken, rows }))];
    if (field !== 'eventTs' || clock === undefined) return [field, name];
    return [field, single([`${name}+${clock}`, ...(isClockMissing ? [name] : [])])];
  });
  const rest = header.filter((name) => !taken.has(name));
  const objects = isJson ? undefined : findProperties(rest, cellsOf);
  if (objects !== undefined) map.push(['properties', objects]);
  const numbers = proposeTypes(
    rest.filter((name) => name !== objects),
    cellsOf,
  );
  const { dateFormat, notes } = times;
  const zone = times.timeZone;
  const layout = {
    map: Object.fromEntries(map),
    ...(!isJson && numbers.types.length > 0 && { types: Object.fromEntries(numbers.types) }),
    ...(!isJson && numbers.decimal && { decimal: numbers.decimal }),
    ...(dateFormat !== undefined && { dateFormat }),
    ...(zone !== undefined && { timeZone: zone }),
    ...(encoding !== undefined && { encoding }),
  };
  return { layout, notes };
}

const single = (sources: readonly CellSource[]) => (sources.length === 1 ? sources[0]! : sources);

/** Which column is likeliest to be which field; a `?` where none is. */
function findColumns(
  header: readonly string[],
  isJson: boolean,
  cellsOf: CellsOf,
): { readonly columns: Map<string, string>; readonly taken: Set<string> } {
  const plain = header.map(toPlainName);
  const last = header.map((name) => (isJson ? toPlainName(name.split('.').at(-1) ?? '') : ''));
  const taken = new Set<string>();
  const columns = new Map<string, string>();
  for (const [field, names] of Object.entries(USUAL)) {
    // Below another key, a short name such as `id` or `name` is that of something else.
    const inner = field === 'insertId' ? [] : names.filter((name) => name.length >= INNER_NAME_MIN);
    const places = [...names.map((name) => plain.indexOf(name)), ...inner.map((name) => last.indexOf(name))];
    const isFree = (name: string) => !taken.has(name) && !(field === 'eventTs' && areClocks(cellsOf(name)));
    const at = places.find((i) => i !== -1 && isFree(header[i]!));
    if (at !== undefined) taken.add(header[at]!);
    if (at !== undefined || field !== 'insertId') columns.set(field, at === undefined ? '?' : header[at]!);
  }
  // A column of another name that holds nothing but times is taken for theirs.
  const timed =
    columns.get('eventTs') === '?' && header.find((name) => !taken.has(name) && areTimes(cellsOf(name)));
  if (typeof timed === 'string') {
    taken.add(timed);
    columns.set('eventTs', timed);
  }
  return { columns, taken };
}

/** The cells of a column that are not empty. */
type CellsOf = (name: string) => readonly string[];

interface ClockSearch {
  readonly taken: ReadonlySet<string>;
  readonly cellsOf: CellsOf;
}

/** The column with the times of day for a column of days. */
function findClock(
  header: readonly string[],
  time: string,
  { taken, cellsOf }: ClockSearch,
): string | undefined {
  if (cellsOf(time).some((cell) => /\d:\d/.test(cell) || NUMERIC.test(cell.trim()))) return undefined;
  const clocks = header.filter((name) => !taken.has(name) && areClocks(cellsOf(name)));
  return (
    clocks.find((name) => USUAL_CLOCK.includes(toPlainName(name))) ??
    (clocks.length > 1 ? undefined : clocks[0])
  );
}

interface UserSearch {
  readonly taken: Set<string>;
  readonly rows: readonly (readonly string[])[];
}

/** The sources of a user: the column of likeliest name, another one for rows without it, and a text. */
function usersOf(first: string, header: readonly string[], { taken, rows }: UserSearch): CellSource[] {
  const isFilled = (row: readonly string[], name: string) => (row[header.indexOf(name)] ?? '') !== '';
  const without = rows.filter((row) => !isFilled(row, first));
  if (without.length === 0) return [first];
  const second = USUAL_SECOND.map((name) => header.find((each) => toPlainName(each) === name)).find(
    (name) => name !== undefined && !taken.has(name) && without.some((row) => isFilled(row, name)),
  );
  if (second !== undefined) taken.add(second);
  const isAnonymous = without.some((row) => second === undefined || !isFilled(row, second));
  return [
    first,
    ...(second === undefined ? [] : [second]),
    ...(isAnonymous ? [{ constant: ANONYMOUS }] : []),
  ];
}

const INNER_NAME_MIN = 5;

const toPlainName = (name: string) => name.toLowerCase().replace(/[^a-z0-9]/g, '');

/** How many paths a proposal looks at: an object of a stranger may have any number. */
const PATHS_MAX = 300;

/** Proposes options for objects of JSON by their paths. */
export function proposeJsonLayout(objects: readonly JsonObject[], found: Found): Proposal {
  const rows = objects.map((object) => new Map(scalarsOf(object, '')));
  const paths = [...new Set(rows.flatMap((row) => [...row.keys()]))].slice(0, PATHS_MAX);
  const cells = rows.map((row) => paths.map((path) => row.get(path) ?? ''));
  return proposeLayout(paths, cells, { ...found, isJson: true });
}

/** The texts and numbers of an object by their paths; those that `map` cannot name are left out. */
function* scalarsOf(object: JsonObject, above: string): Generator<[path: string, text: string]> {
  for (const [key, value] of Object.entries(object)) {
    const path = above + key;
    if (isJsonObject(value)) yield* scalarsOf(value, `${path}.`);
    else if ((typeof value === 'string' || typeof value === 'number') && !/[,="+]/.test(path))
      yield [path, String(value)];
  }
}

const CLOCK = /^\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?[ap]\.?m\.?)?$/i;

const areClocks = (cells: readonly string[]) =>
  cells.length > 0 && cells.every((cell) => CLOCK.test(cell.trim()));

const areTimes = (cells: readonly string[]) =>
  cells.length > 0 &&
  (cells.every((cell) => isDay(cell.slice(0, 10))) || findDateFormat(cells, isDay) !== undefined);

/** The column of JSON objects that are the properties: one with a key that is a column, too, cannot be. */
function findProperties(names: readonly string[], cellsOf: CellsOf): string | undefined {
  return names.find((name) => {
    const objects = cellsOf(name).map(toObject);
    if (objects.length === 0) return false;
    return objects.every(
      (object) => object !== undefined && !names.some((each) => Object.hasOwn(object, each)),
    );
  });
}

function toObject(cell: string): JsonObject | undefined {
  try {
    const value = JSON.parse(cell) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Which columns hold numbers, booleans and objects, and how their numbers are written. */
function proposeTypes(
  names: readonly string[],
  cellsOf: (name: string) => readonly string[],
): { readonly types: readonly (readonly [column: string, type: CellType])[]; readonly decimal?: Decimal } {
  const isNumeric = (cells: readonly string[], decimal?: Decimal) =>
    cells.every((cell) => {
      const text = decimal === undefined ? cell : toPlainNumber(cell.trim(), decimal);
      return NUMBER.test(text) && exactNumber(text) !== undefined;
    });
  const filled = names.map((name) => [name, cellsOf(name)] as const).filter(([, cells]) => cells.length > 0);
  const odd = filled.filter(([, cells]) => !isNumeric(cells));
  // A sign is that of decimals only where no column speaks against it.
  const decimal = DECIMALS.find(
    (each) =>
      odd.some(([, cells]) => isNumeric(cells, each)) &&
      filled.every(([, cells]) => !isNumeric(cells) || isNumeric(cells, each)),
  );
  const types = filled.flatMap(([name, cells]): [string, CellType][] => {
    if (isNumeric(cells, decimal)) return [[name, 'number']];
    if (cells.every((cell) => /^(true|false)$/i.test(cell))) return [[name, 'boolean']];
    return cells.every((cell) => toObject(cell) !== undefined) ? [[name, 'json']] : [];
  });
  return { types, ...(decimal !== undefined && { decimal }) };
}

/** A time that is read without an option: a number, or ISO 8601 as databases write it. */
const NUMERIC = /^\d+(?:\.\d+)?$/;
const ISO =
  /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?: ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?))?)?$/i;
const isPlainTime = (cell: string) => NUMERIC.test(cell) || ISO.test(cell);

/** How times are written, and whether they need a zone. */
function proposeTimes(
  cells: readonly string[],
  { option }: OptionWords,
  timeZone?: string,
): Pick<FileLayout, 'dateFormat' | 'timeZone'> & { readonly notes: readonly string[] } {
  const odd = cells.filter((cell) => !isPlainTime(cell.trim()));
  // A cell that is no time, such as a sum below the table, says nothing of the others.
  const readable = () => odd.filter((cell) => findDateFormat([cell], isDay) !== undefined);
  const found = findDateFormat(odd, isDay) ?? findDateFormat(readable(), isDay);
  const notes: string[] = [];
  if (found !== undefined && 'either' in found)
    notes.push(
      `times such as ${odd[0]!} are ambiguous: say ${option('dateFormat')} '${found.either.join("' or '")}'`,
    );
  const isWithoutZone = (cell: string) =>
    /\d{4}-\d{2}-\d{2}/.test(cell) &&
    !/(Z|UTC|[+-]\d{2}:?\d{2}|\d[+-]\d{2})$/i.test(cell.slice(10).trimEnd());
  const needsZone = timeZone === undefined && (odd.length > 0 || cells.some(isWithoutZone));
  if (needsZone)
    notes.push(
      'the file does not tell the zone of its times: choose it, be it UTC as below or Europe/Berlin',
    );
  const zone = timeZone ?? (needsZone ? 'UTC' : undefined);
  return {
    ...(found !== undefined && { dateFormat: 'format' in found ? found.format : '?' }),
    ...(zone !== undefined && { timeZone: zone }),
    notes,
  };
}
