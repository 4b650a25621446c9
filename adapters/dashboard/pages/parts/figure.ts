/**
 * A whole number with its digits in groups of three. `toLocaleString` gives the same, but its first call on a
 * page takes 30 ms, because the browser loads its language data.
 */
export function figure(count: number): string {
  return String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');
}
