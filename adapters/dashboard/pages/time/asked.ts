import { pieceBefore, rangeBefore, startOf, type Earlier } from './bounds.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, isAllTime, type TimeRange, type Unit } from './unit.ts';
import { UTC } from './zone.ts';

/** A range of time that is chosen by one click. */
export const PRESETS = [
  ...(['15m', '1h', 'today', '24h', '7d', '30d', 'all'] as const),
  ...(['yesterday', 'week', 'last-week', 'month', 'last-month'] as const),
] as const;
export type Preset = (typeof PRESETS)[number];

const PRESET_MS: Readonly<Partial<Record<Preset, number>>> = {
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '24h': DAY_MS,
  '7d': 7 * DAY_MS,
  '30d': 30 * DAY_MS,
};

/** The presets that are over. */
const OVER: readonly Preset[] = ['yesterday', 'last-week', 'last-month'];

/** Whether the range of a preset is another one later. */
export const moves = (preset: Preset | undefined): preset is Preset =>
  preset !== undefined && preset !== 'all';

/** Whether a preset ends now. */
export const endsNow = (preset: Preset | undefined): preset is Preset =>
  moves(preset) && !OVER.includes(preset);

/** A preset in words, for a sentence about its events. */
export const PRESET_WORDS: Readonly<Record<Preset, string>> = {
  '15m': 'the last 15 minutes',
  '1h': 'the last hour',
  today: 'today',
  '24h': 'the last 24 hours',
  '7d': 'the last 7 days',
  '30d': 'the last 30 days',
  all: 'all time',
  yesterday: 'yesterday',
  week: 'this week',
  'last-week': 'last week',
  month: 'this month',
  'last-month': 'last month',
};

/** How often an address asks again by itself, in seconds, and how the control says it. */
export const REFRESHES = [
  ['', 'Off'],
  ['10', '10 s'],
  ['30', '30 s'],
  ['60', '1 min'],
] as const;

/** Reads parameters of an address. */
type Parameters = Pick<URLSearchParams, 'get'>;

const textOf = (parameters: Parameters, name: string) => parameters.get(name) ?? '';

/** The parameters that say a range of time. */
export const RANGE_NAMES = ['range', 'from', 'until', 'after', 'before'] as const;

/** The changes of an address that forget its range of time. */
export const NO_RANGE = { range: '', from: '', until: '', after: '', before: '', at: '', cursor: '' };

/** Whether an address says a range of time. */
export const saysTime = (parameters: Parameters): boolean =>
  RANGE_NAMES.some((name) => textOf(parameters, name) !== '');

/** The preset of an address; undefined if it says none. */
function presetOf(parameters: Parameters): Preset | undefined {
  return PRESETS.find((each) => each === parameters.get('range'));
}

/** The preset of an address, or `first` if it says no range of time; undefined for a range without one. */
export function presetShown(parameters: Parameters, first: Preset): Preset | undefined {
  return presetOf(parameters) ?? (saysTime(parameters) ? undefined : first);
}

/**
 * The zone of an address, by which its days begin and its times are shown; `chosen` is that of one that names
 * none.
 */
export const zoneOf = (parameters: Parameters, chosen = UTC): string => {
  const zone = textOf(parameters, 'zone');
  return zone === '' ? chosen : zone;
};

/** The instant at which a preset ends: the one in the address, or else now. */
export const endOfPreset = (parameters: Parameters, now: number): number => {
  const at = textOf(parameters, 'at');
  return at === '' ? now : Number(at);
};

/** The unit of the calendar that a preset is one piece of. */
const PIECES: Readonly<Partial<Record<Preset, Unit>>> = {
  today: 'day',
  yesterday: 'day',
  week: 'week',
  'last-week': 'week',
  month: 'month',
  'last-month': 'month',
};

/** The range of a preset at an instant, which is the last one in it where it ends now. */
export function rangeOfPreset(preset: Preset, zone: string, now: number): TimeRange {
  const until = now + 1;
  if (preset === 'all') return { from: -Infinity, until: Infinity };
  const unit = PIECES[preset];
  if (unit === undefined) return { from: until - PRESET_MS[preset]!, until };
  const start = startOf(unit, zone, now);
  return endsNow(preset) ? { from: start, until } : { from: startOf(unit, zone, start - 1), until: start };
}

/** A range of time that is shown: the preset that made it, if one did, and the instant of its question. */
export interface ShownRange {
  readonly range: TimeRange;
  readonly preset: Preset | undefined;
  readonly zone: string;
  readonly since: number;
}

/**
 * The period before a range: the same part of the day, week or month before for one of the calendar, or else
 * one of the same length. Undefined for a range without a beginning and an end.
 */
export function periodBefore({ range, preset, zone, since }: ShownRange): Earlier | undefined {
  const unit = preset && PIECES[preset];
  return unit === undefined ? rangeBefore(range, zone, since + 1) : pieceBefore(unit, range, zone);
}

/**
 * The range of instants that an address asks for, besides its whole days in UTC. `first` is the preset of an
 * address that says no range, and `zone` the zone of its days.
 */
export function rangeAsked(
  parameters: Parameters,
  now: number,
  first: Preset,
  zone = zoneOf(parameters),
): TimeRange {
  const preset = presetShown(parameters, first);
  const chosen = preset && rangeOfPreset(preset, zone, endOfPreset(parameters, now));
  const [from, until] = ['from', 'until'].map((name) => Date.parse(textOf(parameters, name)));
  return {
    from: Math.max(chosen?.from ?? -Infinity, Number.isNaN(from!) ? -Infinity : from!),
    until: Math.min(chosen?.until ?? Infinity, Number.isNaN(until!) ? Infinity : until!),
  };
}

/**
 * The changes of an address that ask for a range of instants: by days in UTC where it is whole days.
 */
export function toRange({ from, until }: TimeRange): Readonly<Record<string, string>> {
  if (isAllTime({ from, until })) return { ...NO_RANGE, range: 'all' };
  const isDay = (ms: number) => !Number.isFinite(ms) || ms % DAY_MS === 0;
  const iso = (ms: number) => (Number.isFinite(ms) ? new Date(ms).toISOString() : '');
  if (!isDay(from) || !isDay(until) || until <= from)
    return { ...NO_RANGE, from: iso(from), until: iso(until) };
  return { ...NO_RANGE, after: iso(from).slice(0, 10), before: iso(until - 1).slice(0, 10) };
}

/** The first views of a tenant: the smallest of these that has events, or else all time. */
const FIRST_PRESETS: readonly Preset[] = ['24h', '7d', '30d'];

/** The preset of the first view, by the time of the latest event until now. */
export function firstPreset(latest: number | undefined, now: number): Preset {
  if (latest === undefined) return 'all';
  return FIRST_PRESETS.find((preset) => latest >= rangeOfPreset(preset, UTC, now).from) ?? 'all';
}

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?Z$/;
/** Whether a text is an instant in UTC, as an address holds it. */
export const isInstant = (text: string): boolean => INSTANT.test(text) && !Number.isNaN(Date.parse(text));

/** Whether a text is a whole number of 0 or more. */
export const isCount = (text: string): boolean => /^\d{1,15}$/.test(text);

/** Whether a text names a range of time that is chosen by one click. */
export const isPreset = (text: string): boolean => PRESETS.some((each) => each === text);

/** Whether a text says how often an address asks again by itself. */
export const isRefresh = (text: string): boolean => REFRESHES.some(([each]) => each === text);
