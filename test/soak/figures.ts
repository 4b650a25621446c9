/** The value below which a share of the numbers lie; 0 for none. */
export function percentile(numbers: readonly number[], share: number): number {
  if (numbers.length === 0) return 0;
  const sorted = [...numbers].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
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
