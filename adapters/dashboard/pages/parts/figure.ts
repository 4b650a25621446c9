/**
 * A whole number with its digits in groups of three. `toLocaleString` gives the same, but its first call on a
 * page takes 30 ms, because the browser loads its language data.
 */
export function figure(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** A mebibyte in bytes. */
export const MIB = 1_048_576;

/** A number of bytes in whole mebibytes, rounded down. */
export const mebibytes = (bytes: number): string => `${figure(Math.floor(bytes / MIB))} MiB`;

/** Which share of a total a count is, such as `12.5%`. Only all of it is `100%`, and only nothing is `0%`. */
export function shareText(count: number, total: number): string {
  const percent = total === 0 ? 0 : (count / total) * 100;
  const text = percent.toFixed(1);
  if (text === '0.0' && count > 0) return '<0.1%';
  if (text === '100.0' && count < total) return '>99.9%';
  return `${text.replace(/\.0$/, '')}%`;
}
