import { saysTime, toRange, type Preset } from '../time/asked.ts';
import type { TimeRange } from '../time/unit.ts';

/** What is asked at a place: its range, and the preset that made it, if one did. */
export interface SaidRange {
  readonly preset: Preset | undefined;
  readonly range: TimeRange;
}

/**
 * The changes of an address that make it say its range of time: the preset that is shown, or, where it has to
 * be exact, the instants at which that begins and ends.
 */
export function saidQuestion(
  parameters: URLSearchParams,
  asked: SaidRange | undefined,
  isExact: boolean,
): Readonly<Record<string, string>> {
  if (asked === undefined) return {};
  if (isExact) return toRange(asked.range);
  return saysTime(parameters) || asked.preset === undefined ? {} : { range: asked.preset };
}
