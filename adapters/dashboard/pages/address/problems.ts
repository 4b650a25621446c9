import { PATH_LENGTH_MAX } from '../../../../src/store-kit.ts';
import { isAgainst } from '../time/against.ts';
import { isCount, isInstant, isPreset, isRefresh } from '../time/asked.ts';
import { isUnit } from '../time/unit.ts';
import { isZone } from '../time/zone.ts';
import type { PageLocation } from './address.ts';
import { COLUMNS_MAX, columnsIn } from './columns.ts';
import { measureIn } from './measure.ts';
import { readFilters, type Takes } from './filters.ts';
import { isWithin, readSteps, STEPS_MOST } from './steps.ts';
import { isUserOrder, SEARCH_LENGTH_MAX } from './user-orders.ts';
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

/** The parameters of a range of time. */
const OF_TIME: Readonly<Record<string, Check>> = {
  after: day,
  before: day,
  range: only(isPreset, 'an unknown time range'),
  from: time,
  until: time,
  at: only(isCount, 'an invalid time'),
  zone: only(isZone, 'an unknown time zone'),
  every: only(isRefresh, 'an unknown interval'),
};

/** The parameters of the pages that ask for events by filter. */
const OF_QUESTIONS: Readonly<Record<string, Check>> = {
  filter: (text, takes) => {
    const read = readFilters(text, takes);
    return 'problem' in read ? read.problem : undefined;
  },
  event: name('an event'),
  unit: only(isUnit, 'an unknown unit of time'),
  ...OF_TIME,
  by: only(upTo(PATH_LENGTH_MAX), 'too long a path'),
  and: only(upTo(PATH_LENGTH_MAX), 'too long a path'),
  measure: only(
    (text) => measureIn(text) !== undefined && text.length <= PATH_LENGTH_MAX,
    'an unknown measure',
  ),
  compare: only((text) => text === 'before', 'an unknown comparison'),
  against: only(isAgainst, 'an unknown time to compare with'),
  view: name('a view'),
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

const isStep = (text: string) => isCount(text) && Number(text) >= 1 && Number(text) <= STEPS_MOST;

/** The parameters of the pages that ask about steps. */
const OF_STEPS: Readonly<Record<string, Check>> = {
  ...OF_TIME,
  event: OF_QUESTIONS.event!,
  filter: OF_QUESTIONS.filter!,
  steps: (text, takes) => {
    const read = readSteps(text, takes);
    return 'problem' in read ? read.problem : undefined;
  },
  within: only(isWithin, 'an unknown length of time'),
};

/** The parameters of the table of users. */
const OF_USERS: Readonly<Record<string, Check>> = {
  ...OF_STEPS,
  stopped: only(isStep, 'an unknown step'),
  reached: only(isStep, 'an unknown step'),
  search: only(upTo(SEARCH_LENGTH_MAX), 'too long a search'),
  in: only(upTo(PATH_LENGTH_MAX), 'too long a path'),
  least: only((text) => isCount(text) && Number(text) >= 1, 'an unknown number of events'),
  sort: only(isUserOrder, 'an unknown order'),
  cursor,
};

/** The parameters of the catalogue of properties. */
const OF_PROPERTIES: Readonly<Record<string, Check>> = {
  event: OF_QUESTIONS.event!,
  search: OF_USERS.search!,
  path: only(upTo(PATH_LENGTH_MAX), 'too long a path'),
  by: OF_QUESTIONS.by!,
  zone: OF_TIME.zone!,
};

/** What each page reads of its address. The others read nothing. */
const CHECKS: ReadonlyMap<string, Readonly<Record<string, Check>>> = new Map([
  ['explore', OF_QUESTIONS],
  ['live', OF_QUESTIONS],
  ['funnel', { ...OF_STEPS, by: only(upTo(PATH_LENGTH_MAX), 'too long a path') }],
  [
    'retention',
    {
      ...OF_STEPS,
      cohort: only((text) => /^(?:day|week|month)$/.test(text), 'an unknown unit of cohorts'),
      periods: only((text) => isCount(text) && Number(text) >= 1 && Number(text) <= 100, 'an unknown number'),
      windows: only((text) => text === 'start', 'unknown periods'),
      returns: only((text) => text === 'later', 'unknown returns'),
    },
  ],
  ['users', OF_USERS],
  ['properties', OF_PROPERTIES],
  [
    'person',
    {
      // The question of the table of users, to which the page leads back.
      ...OF_USERS,
      user: name('a user'),
      at: only((text) => isInstant(text) || isCount(text), 'an invalid time'),
      order: only((text) => text === 'oldest', 'an unknown order'),
      offset: only(isCount, 'an invalid page'),
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
