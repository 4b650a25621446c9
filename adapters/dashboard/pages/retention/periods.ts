import type { RetentionUnit } from '../../../../src/index.ts';
import { endOf } from '../time/bounds.ts';
import { LENGTHS } from '../time/unit.ts';

/** Whether a period of a cohort is over at an instant, has begun, or lies in the future. */
export type PeriodState = 'over' | 'open' | 'future';

interface Followed {
  readonly unit: RetentionUnit;
  readonly zone: string;
  /** Whether periods are pieces of 24 hours from the start of each user, and not those of the calendar. */
  readonly isFromStart: boolean;
  /** The instant of the question. */
  readonly since: number;
}

/**
 * The state of each period of a cohort. Periods from the starts of users are over once they are for the last
 * who may have started, and have begun once they have for the first.
 */
export function statesOf(
  start: number,
  periods: number,
  { unit, zone, isFromStart, since }: Followed,
): PeriodState[] {
  const states: PeriodState[] = [];
  const ends = endOf(unit, zone, start);
  let begin = start;
  for (let i = 0; i < periods; i++) {
    const next = isFromStart ? start + (i + 1) * LENGTHS[unit] : endOf(unit, zone, begin);
    const end = isFromStart ? ends + (i + 1) * LENGTHS[unit] : next;
    states.push(end <= since ? 'over' : begin <= since ? 'open' : 'future');
    begin = next;
  }
  return states;
}
