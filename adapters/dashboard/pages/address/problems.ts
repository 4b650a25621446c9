import { PATH_LENGTH_MAX } from '../../../../src/store-kit.ts';
import { isCount, isInstant, isPreset, isRefresh } from '../time/asked.ts';
import { isUnit } from '../time/unit.ts';
import { isZone } from '../time/zone.ts';
import type { PageLocation } from './address.ts';
import { COLUMNS_MAX, columnsIn } from './columns.ts';
import { readFilters, type Takes } from './filters.ts';
import { cut } from './written.ts';

/** What is wrong with one parameter of an address, in a sentence. */
interface Problem {
  readonly name: string;
  readonly said: string;
}

/** Describes what is wrong with a value that is not empty; undefined if nothing is. */
type Check = (text: string, takes: Takes) => string | undefined;

/** How many characters of a value a sentence repeats. */
const QUOTED_MAX = 60;
/** The longest name of an event, a user or a person. */
const NAME_LENGTH_MAX = 256;
const CURSOR_LENGTH_MAX = 4_096;

const only =
  (isRight: (text: string) => boolean, what: string): Check =>
  (text) =>
    isRight(text) ? undefined : `This link contains ${what}: ${cut(text, QUOTED_MAX)}.`;
const upTo = (most: number) => (text: string) => text.length <= most;

/** Whether a text is a day of the calendar. */
function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(`${text}T`);
}

const day = only(isDay, 'an invalid date');
const time = only(isInstant, 'an invalid time');
const name = (what: string) => only(upTo(NAME_LENGTH_MAX), `too long a name of ${what}`);
const cursor = only(upTo(CURSOR_LENGTH_MAX), 'an invalid page');

/** The parameters of the pages that ask for events by filter. */
const OF_QUESTIONS: Readonly<Record<string, Check>> = {
  filter: (text, takes) => {
    const read = readFilters(text, takes);
    return 'problem' in read ? read.problem : undefined;
  },
  event: name('an event'),
  unit: only(isUnit, 'an unknown unit of time'),
  after: day,
  before: day,
  range: only(isPreset, 'an unknown time range'),
  from: time,
  until: time,
  at: only(isCount, 'an invalid time'),
  zone: only(isZone, 'an unknown time zone'),
  every: only(isRefresh, 'an unknown interval'),
  by: only(upTo(PATH_LENGTH_MAX), 'too long a path'),
  compare: only((text) => text === 'before', 'an unknown comparison'),
  columns: (text) => {
    const columns = columnsIn(text);
    if (columns.length > COLUMNS_MAX) return `This link contains more than ${COLUMNS_MAX} columns.`;
    const long = columns.find((column) => column.length > PATH_LENGTH_MAX);
    return long === undefined ? undefined : `This link contains too long a column: ${cut(long, QUOTED_MAX)}.`;
  },
  of: only(
    (text) => text.startsWith('properties.') && text.length <= PATH_LENGTH_MAX,
    'no path below properties',
  ),
  order: only((text) => text === 'smallest', 'an unknown order'),
  cursor,
};

/** What each page reads of its address. The others read nothing. */
const CHECKS: ReadonlyMap<string, Readonly<Record<string, Check>>> = new Map([
  ['explore', OF_QUESTIONS],
  ['live', OF_QUESTIONS],
  [
    'person',
    {
      user: name('a user'),
      order: only((text) => text === 'oldest' || text === 'newest', 'an unknown order'),
      from: only(isCount, 'an invalid page'),
      cursor,
    },
  ],
  ['usage', { days: only((text) => /^(?:7|30|90)$/.test(text), 'an unknown number of days') }],
  [
    'audit',
    { who: name('a person'), tenant: name('a tenant'), action: name('an action'), after: day, before: day },
  ],
]);

/** What is wrong with the parameters that a place’s page reads, each in a sentence. */
export function problemsOf({ page, parameters }: PageLocation, takes: Takes): readonly Problem[] {
  return Object.entries(CHECKS.get(page) ?? {}).flatMap(([parameter, check]) => {
    const text = parameters.get(parameter) ?? '';
    const said = text === '' ? undefined : check(text, takes);
    return said === undefined ? [] : [{ name: parameter, said }];
  });
}
