import type { TimeRange, Unit } from './unit.ts';
import { textIn, weekdayIn } from './zone.ts';

/** What a chart knows of its buckets. */
interface ChartBuckets {
  readonly unit: Unit;
  readonly zone: string;
  readonly edges: readonly number[];
  readonly range: TimeRange;
  /** The instant of the question. */
  readonly since: number;
}

/** The beginning of a bucket as text: those that are at most a day have the day of the week. */
export function bucketText(
  { unit, zone, edges }: Pick<ChartBuckets, 'unit' | 'zone' | 'edges'>,
  i: number,
): string {
  const text = textIn(zone, edges[i]!, unit === 'minute' || unit === 'hour' ? 16 : 10);
  return unit === 'week' || unit === 'month' ? text : `${weekdayIn(zone, edges[i]!)} ${text}`;
}

/** Why the figure of a bucket is not that of a whole one; undefined if it is. */
export function partialOf({ zone, edges, range, since }: ChartBuckets, i: number): string | undefined {
  const [start, end] = [edges[i]!, edges[i + 1]!];
  const partials = [
    start < range.from ? `from ${textIn(zone, range.from)}` : undefined,
    since < end && start <= since && range.until > since ? 'not over yet' : undefined,
    range.until <= since && range.until < end ? `until ${textIn(zone, range.until)}` : undefined,
  ].filter((partial) => partial !== undefined);
  return partials.length === 0 ? undefined : partials.join(', ');
}

/** The range of a drag from one bucket to another, whatever its direction: what their bars count. */
export function rangeOfBars(
  { edges, range }: Pick<ChartBuckets, 'edges' | 'range'>,
  a: number,
  b: number,
): TimeRange {
  return {
    from: Math.max(edges[Math.min(a, b)]!, range.from),
    until: Math.min(edges[Math.max(a, b) + 1]!, range.until),
  };
}

/** By how much a count differs from the one before, such as `+12%`; undefined if there is no percentage. */
export function percentText(count: number, before: number): string | undefined {
  if (before === 0) return undefined;
  const percent = ((count - before) / before) * 100;
  const digits = Math.abs(percent) < 10 ? 1 : 0;
  const text = Math.abs(percent).toFixed(digits);
  // A difference that rounds to nothing is one all the same.
  if (Number(text) === 0) return count === before ? '±0%' : `${count > before ? '+' : '−'}<0.1%`;
  return `${percent > 0 ? '+' : '−'}${text}%`;
}
