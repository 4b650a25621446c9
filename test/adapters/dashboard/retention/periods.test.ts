import { describe, expect, it } from 'vitest';
import { statesOf } from '../../../../adapters/dashboard/pages/retention/periods.ts';
import { at } from '../time/zones.ts';

describe('the periods of a cohort', () => {
  it('of a calendar are over when the zone says so', () => {
    const since = at('2026-03-31T21:59:59.999Z');
    const days = (zone: string, start: string, instant = since) =>
      statesOf(at(start), 4, { unit: 'day', zone, isFromStart: false, since: instant });
    // The clocks of Berlin went forward on 29 March, so its first of April begins at 22:00 UTC.
    expect(days('Europe/Berlin', '2026-03-28T23:00Z')).toEqual(['over', 'over', 'open', 'future']);
    expect(days('Europe/Berlin', '2026-03-28T23:00Z', since + 1)).toEqual(['over', 'over', 'over', 'open']);
    expect(days('UTC', '2026-03-29T00:00Z')).toEqual(['over', 'over', 'open', 'future']);
  });

  it('from starts begin with the first start that there may be, and end with the last', () => {
    const states = (instant: string) =>
      statesOf(at('2026-05-18T00:00Z'), 3, {
        ...{ unit: 'week', zone: 'UTC', isFromStart: true, since: at(instant) },
      });
    expect(states('2026-05-18T00:00Z')).toEqual(['open', 'future', 'future']);
    expect(states('2026-05-25T00:00Z')).toEqual(['open', 'open', 'future']);
    expect(states('2026-06-01T00:00Z')).toEqual(['over', 'open', 'open']);
    expect(states('2026-06-15T00:00Z')).toEqual(['over', 'over', 'over']);
  });
});
