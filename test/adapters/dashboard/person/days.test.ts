import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { byDay } from '../../../../adapters/dashboard/pages/person/days.ts';
import type { Event } from '../../../../src/index.ts';

const at = (eventTs: string, insertId = eventTs): Event => ({
  ...{ eventName: 'a', userId: 'ada', eventTs, insertId, eventDate: eventTs.slice(0, 10), properties: {} },
});
const told = (zone: string, ...times: readonly string[]) =>
  byDay(
    times.map((time) => at(time)),
    zone,
  ).map(({ name, note, events }) => [name, note, events.length]);

describe('events by days', () => {
  it('have a weekday, and how many days lie between', () => {
    expect(
      told('UTC', '2026-05-20T23:59:59.999Z', '2026-05-20T00:00:00.000Z', '2026-05-19T12:00:00.000Z'),
    ).toEqual([
      ['Wed 2026-05-20', '', 2],
      ['Tue 2026-05-19', '', 1],
    ]);
    expect(told('UTC', '2026-05-20T00:00:00.000Z', '2026-05-15T23:00:00.000Z')[1]).toEqual([
      ...['Fri 2026-05-15', '5 days earlier', 1],
    ]);
    expect(told('UTC', '2026-02-27T00:00:00.000Z', '2026-03-01T23:00:00.000Z')[1]).toEqual([
      ...['Sun 2026-03-01', '2 days later', 1],
    ]);
  });

  it('are those of the zone', () => {
    expect(told('Asia/Kolkata', '2026-05-20T18:30:00.000Z', '2026-05-20T18:29:59.999Z')).toEqual([
      ['Thu 2026-05-21', '', 1],
      ['Wed 2026-05-20', '', 1],
    ]);
  });

  it('are all events in their order', () => {
    const instants = fc.array(fc.integer({ min: 0, max: 4e12 }));
    fc.assert(
      fc.property(instants, fc.constantFrom('UTC', 'America/St_Johns', 'Pacific/Apia'), (all, zone) => {
        const events = all.map((ms, i) => at(new Date(ms).toISOString(), String(i)));
        const days = byDay(events, zone);
        expect(days.flatMap((day) => day.events)).toEqual(events);
        expect(days.every((day, i) => day.events.length > 0 && day.name !== days[i - 1]?.name)).toBe(true);
      }),
    );
  });
});
