import { endsNow, toRange, type Preset } from '../time/asked.ts';
import type { TimeRange } from '../time/unit.ts';

/** An instant as a name of a file has it: a colon is not possible there. */
const stamp = (iso: string) => iso.replace(/(:00)?\.\d{3}Z$/, 'Z').replaceAll(':', '');

/** The time of a question. */
interface AskedTime {
  readonly range: TimeRange;
  /** The preset that made the range, if one did. */
  readonly preset: Preset | undefined;
  /** The instant of the question. */
  readonly since: number;
}

/** The range of time of a question, such as `2026-05-01-to-2026-05-31` or `24h-until-2026-05-31T1200Z`. */
function rangeWords({ range, preset, since }: AskedTime): string {
  if (endsNow(preset)) return `${preset}-until-${stamp(new Date(since).toISOString())}`;
  const asked = toRange(range);
  if (asked.range !== '') return 'all-time';
  // An open end is an empty text.
  const [first, last] = [`${asked.after}${asked.from}`, `${asked.before}${asked.until}`];
  if (last === '') return `from-${stamp(first)}`;
  if (first === '') return `until-${stamp(last)}`;
  return first === last ? stamp(first) : `${stamp(first)}-to-${stamp(last)}`;
}

/**
 * The beginning of the name of a file with events of a question: the tenant, the range of time, and whether
 * the events are filtered.
 */
export function fileName(alias: string, asked: AskedTime, isFiltered: boolean): string {
  return `${alias}_${rangeWords(asked)}${isFiltered ? '_filtered' : ''}`;
}

/** A text as a part of the name of a file. */
export const fileWord = (text: string): string => text.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80);
