/** The value below which a share of the numbers lie; 0 for none. */
export function percentile(numbers: readonly number[], share: number): number {
  if (numbers.length === 0) return 0;
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

/** By how much numbers grow from one to the next: the slope of the straight line by least squares. */
export function slopeOf(numbers: readonly number[]): number {
  const middle = (numbers.length - 1) / 2;
  const mean = numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  let [shared, spread] = [0, 0];
  for (const [i, number] of numbers.entries()) {
    shared += (i - middle) * (number - mean);
    spread += (i - middle) ** 2;
  }
  return spread === 0 ? 0 : shared / spread;
}

/** A number with as many digits as say something. */
export function round(value: number): number {
  return value >= 100 ? Math.round(value) : Number(value.toPrecision(2));
}

/** Lines of a Markdown table. */
export function toTable(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
