import { DAY_MS, LENGTHS, type Unit } from './unit.ts';
import { toWall, weekdayIn } from './zone.ts';

/** How many round figures an axis has, about. */
const TICKS_WANTED = 4;
/** So many digits of a product are those of its factors. */
const EXACT_DIGITS = 12;

/**
 * Round figures from at most `least` to at least `most`, zero among them, about four. Those of whole numbers
 * are whole.
 */
export function valueTicks(most: number, least = 0, isWhole = true): number[] {
  const [low, high] = [Math.min(0, least), Math.max(0, most)];
  // Half of each, as the difference of the two largest numbers is none.
  const given = high / TICKS_WANTED - low / TICKS_WANTED || 1 / TICKS_WANTED;
  const rough = isWhole ? Math.max(1, given) : given;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? 10 * power;
  const first = Math.floor(low / step);
  const last = Math.max(first + 1, Math.ceil(high / step));
  const tickAt = (at: number) => Number((at * step).toPrecision(EXACT_DIGITS));
  const inReach = (tick: number) => Math.max(-Number.MAX_VALUE, Math.min(tick, Number.MAX_VALUE));
  return Array.from({ length: last - first + 1 }, (_, i) => inReach(tickAt(first + i)));
}

/** The steps between two labels that people read well, in buckets of a unit. */
const STEPS: Readonly<Record<Unit, readonly number[]>> = {
  minute: [1, 2, 5, 10, 15, 30, 60, 120, 360, 720, 1440],
  hour: [1, 2, 3, 6, 12, 24, 48, 168],
  day: [1, 2, 7, 14, 28, 91, 182, 364],
  week: [1, 2, 4, 13, 26, 52],
  month: [1, 3, 6, 12, 24, 60, 120],
};

/** Which buckets get a label below the axis: at most `most`, at times that are round in the zone. */
export function timeTicks(starts: readonly number[], unit: Unit, zone: string, most: number): number[] {
  const numbers = starts.map((start) => numberOf(unit, toWall(zone, start)));
  for (const step of STEPS[unit]) {
    const ticks = numbers.flatMap((number, i) =>
      number % step === 0 && number !== numbers[i - 1] ? [i] : [],
    );
    if (ticks.length <= most && ticks.length > 0) return ticks;
  }
  return [0];
}

/** The number of a bucket among all of its unit, by which a round one is known. */
function numberOf(unit: Unit, wall: number): number {
  if (unit === 'month') {
    const date = new Date(wall);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  }
  // 1970 began on a Thursday: days count from the Monday before, so that every seventh is a Monday.
  if (unit === 'day') return Math.floor(wall / DAY_MS) + 3;
  if (unit === 'week') return Math.floor((wall / DAY_MS + 3) / 7);
  return Math.floor(wall / LENGTHS[unit]);
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * The labels of buckets below the axis. A day is followed by its year where that is another one than of the
 * label before, or than of the instant of the question.
 */
export function tickTexts(
  unit: Unit,
  zone: string,
  starts: readonly number[],
  since: number,
): readonly string[] {
  const yearOf = (instant: number) => new Date(toWall(zone, instant)).getUTCFullYear();
  let said = yearOf(since);
  return starts.map((start) => {
    const text = tickText(unit, zone, start);
    const year = yearOf(start);
    // There is no room behind a time of day, nor need behind a year.
    if (year === said || text.includes(':')) return text;
    said = year;
    // Beside the year there is no room for the day of the week.
    return text === String(year) ? text : `${text.replace(/^[A-Z][a-z]+ (?=\d)/, '')} ${year}`;
  });
}

/** The label of a bucket below the axis, as short as its unit allows. */
export function tickText(unit: Unit, zone: string, start: number): string {
  const date = new Date(toWall(zone, start));
  const day = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]!}`;
  if (unit === 'month') {
    const month = MONTHS[date.getUTCMonth()]!;
    return date.getUTCMonth() === 0 ? String(date.getUTCFullYear()) : month;
  }
  if (unit === 'week') return day;
  const time = date.toISOString().slice(11, 16);
  return unit === 'day' || time === '00:00' ? `${weekdayIn(zone, start)} ${day}` : time;
}
