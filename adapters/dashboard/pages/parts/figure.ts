/**
 * A number with the digits before its point in groups of three, and all of those behind it. `toLocaleString`
 * gives about the same, but its first call on a page takes 30 ms, as the browser loads its language data.
 */
export function figure(count: number): string {
  return String(count).replace(/^-?\d+(?!\d*e)/, (whole) => whole.replace(/\B(?=(?:\d{3})+$)/g, ','));
}

/** The short forms of large figures. */
const LARGE = [
  [1e12, 'T'],
  [1e9, 'B'],
  [1e6, 'M'],
] as const;
/** Above, a figure is as long in its short form. */
const SHORT_MAX = 1e15;
const SHORT_DIGITS = 6;

/** A figure in a short form, such as `60B`, rounded to six digits where it has more. */
export function shortFigure(value: number): string {
  const round = Number(value.toPrecision(SHORT_DIGITS));
  const size = Math.abs(round);
  const [unit, sign] = LARGE.find(([each]) => size >= each && size < SHORT_MAX) ?? [1, ''];
  return figure(Number((round / unit).toPrecision(SHORT_DIGITS))) + sign;
}

/** A figure, or a dash where there is none. */
export const figureOrNone = (each: number | null): string => (each === null ? '–' : figure(each));

/** A mebibyte in bytes. */
export const MIB = 1_048_576;

/** A number of bytes in whole mebibytes, rounded down. */
export const mebibytes = (bytes: number): string => `${figure(Math.floor(bytes / MIB))} MiB`;

const UNITS = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** A number of bytes, with a tenth where there are fewer than a hundred of its unit. */
export function bytesText(bytes: number): string {
  let [amount, power] = [bytes, 0];
  // What rounds up to 1,024 of a unit is one of the next.
  for (; amount >= 1023.5 && power < UNITS.length - 1; power++) amount /= 1024;
  const text = power === 0 || amount >= 99.95 ? figure(Math.round(amount)) : amount.toFixed(1);
  return `${text} ${UNITS[power]}`;
}

/** Which share of a total a count is, such as `12.5%`. Only all of it is `100%`, and only nothing is `0%`. */
export function shareText(count: number, total: number): string {
  const percent = total === 0 ? 0 : (count / total) * 100;
  const text = percent.toFixed(1);
  if (text === '0.0' && count > 0) return '<0.1%';
  if (text === '100.0' && count < total) return '>99.9%';
  return `${text.replace(/\.0$/, '')}%`;
}
