import { describe, expect, it } from 'vitest';
import { nameBefore, nameToday } from '../../../../adapters/dashboard/pages/time/zone-names.ts';
import { isZone, textIn } from '../../../../adapters/dashboard/pages/time/zone.ts';
import { at } from './zones.ts';

describe('the names of zones', () => {
  const listed = Intl.supportedValuesOf('timeZone');

  it('are those of today, each once, with the former ones beside them', () => {
    const names = listed.map(nameToday);
    expect(new Set(names).size).toBe(listed.length);
    for (const name of ['Asia/Kolkata', 'Asia/Kathmandu', 'Europe/Kyiv', 'America/Nuuk']) {
      expect(names).toContain(name);
    }
    expect(nameBefore('Asia/Kolkata')).toBe('Asia/Calcutta');
    expect(nameBefore('Europe/Berlin')).toBeUndefined();
  });

  it('mean the same clock, before and today', () => {
    const renamed = listed.map(nameToday).filter((name) => nameBefore(name) !== undefined);
    expect(renamed.length).toBeGreaterThan(15);
    for (const name of renamed) {
      const before = nameBefore(name)!;
      expect([isZone(name), isZone(before)]).toEqual([true, true]);
      for (const instant of ['1986-01-01T00:00Z', '2010-07-01T00:00Z', '2026-07-01T00:00Z'])
        expect([before, textIn(before, at(instant))]).toEqual([before, textIn(name, at(instant))]);
    }
  });
});
