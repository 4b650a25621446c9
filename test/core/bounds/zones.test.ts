import { describe, expect, it, vi } from 'vitest';
import { createZones } from '../../../src/transport-kit.ts';

/** Its `format` is a getter, of which the types say that it is a method. */
const FORMATS = Intl.DateTimeFormat.prototype as unknown as { readonly format: unknown };

describe('zones', () => {
  it('have the names that mean one thing in every runtime', () => {
    const zones = createZones();
    for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Ushuaia', 'Etc/GMT+5'])
      expect(zones.of(name)?.name).toBe(name);
    for (const name of ['CET', 'IST', 'EST', '+05:30', 'GMT+2', '', 'Europe', 'Mars/Base', 'Europe/Berlin\n'])
      expect([name, zones.of(name)]).toEqual([name, undefined]);
  });

  it('are known in capitals and small letters', () => {
    const zones = createZones();
    expect(zones.of('utc')).toBe(zones.of('UTC'));
    const at = Date.UTC(2024, 6);
    expect(zones.of('europe/berlin')!.pieceAt(at)).toEqual(zones.of('Europe/Berlin')!.pieceAt(at));
  });

  it('name the nearest of an unknown name', () => {
    const zones = createZones();
    const meant = {
      ...{ Berlin: 'Europe/Berlin', 'Europe/Berln': 'Europe/Berlin', 'New York': 'America/New_York' },
      ...{ 'America/NewYork': 'America/New_York', 'Europe/London/': 'Europe/London', utz: 'UTC' },
    };
    for (const [name, nearest] of Object.entries(meant)) expect(zones.nearestTo(name)).toBe(nearest);
    for (const name of ['+05:30', 'Middle-earth/Bree', 'x'.repeat(100_000)])
      expect(zones.nearestTo(name)).toBeUndefined();
  });

  it('are kept for at most 64 names, and one that was forgotten is read again where it is held', () => {
    const zones = createZones();
    const berlin = zones.of('Europe/Berlin')!;
    const looks = vi.spyOn(FORMATS, 'format', 'get');
    const looksAt = (instant: number) => {
      const before = looks.mock.calls.length;
      expect(berlin.pieceAt(instant).offset).toBe(3_600_000);
      return looks.mock.calls.length - before;
    };
    try {
      expect([looksAt(0), looksAt(0)]).toEqual([2, 0]);
      const others = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'Europe/Berlin');
      for (const name of others.slice(0, 31)) zones.of(name);
      expect(looksAt(0)).toBe(0);
      for (const name of others.slice(0, 64)) zones.of(name);
      expect([looksAt(0), looksAt(0)]).toEqual([2, 0]);
    } finally {
      looks.mockRestore();
    }
  });
});
