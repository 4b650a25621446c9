/** The units of a length of time, in milliseconds, from the largest. */
const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
] as const;

/** A length of time in its two largest units, such as `3 d 4 h`, rounded down; below a second in full. */
export function lengthText(ms: number): string {
  const at = UNITS.findIndex(([, length]) => ms >= length);
  if (at === -1) return `${ms} ms`;
  const [unit, length] = UNITS[at]!;
  const whole = Math.floor(ms / length);
  const [smaller, part] = UNITS[at + 1] ?? ['ms', 1];
  const rest = Math.floor((ms - whole * length) / part);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smaller}`;
}

/** A length of time as a body has it, such as `7d`, in words. */
export function withinText(within: string): string {
  const count = Number(within.slice(0, -1));
  const [one] = UNIT_WORDS.filter(([sign]) => within.endsWith(sign)).map(([, word]) => word);
  return `${count} ${one ?? ''}${count === 1 ? '' : 's'}`;
}

const UNIT_WORDS = [
  ['s', 'second'],
  ['m', 'minute'],
  ['h', 'hour'],
  ['d', 'day'],
  ['w', 'week'],
] as const;
