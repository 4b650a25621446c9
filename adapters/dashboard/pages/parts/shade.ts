/** How many shades there are. */
const SHADES = 5;

/** The class of the shade of a figure, by its share of the largest one; empty for none. */
export function shadeOf(value: number, most: number): string {
  if (value <= 0 || most <= 0) return '';
  return `shade-${Math.min(SHADES, Math.ceil((value / most) * SHADES))}`;
}
