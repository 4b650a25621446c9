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

/** A number of bytes with three digits at most, rounded down. */
export function bytesText(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const amount = bytes / 1024 ** power;
  const tenth = power === 0 || amount >= 100 ? '' : `.${Math.floor((amount % 1) * 10)}`;
  return `${figure(Math.floor(amount))}${tenth} ${UNITS[power]}`;
}

/** Which share of a total a count is, such as `12.5%`. Only all of it is `100%`, and only nothing is `0%`. */
export function shareText(count: number, total: number): string {
  const percent = total === 0 ? 0 : (count / total) * 100;
  const text = percent.toFixed(1);
  if (text === '0.0' && count > 0) return '<0.1%';
  if (text === '100.0' && count < total) return '>99.9%';
  return `${text.replace(/\.0$/, '')}%`;
}
