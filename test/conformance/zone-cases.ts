import type { TimeUnit } from '../../src/core/event/time-unit.ts';
import type { StoredEvent } from '../../src/store-kit.ts';

/** A time in a zone, and the buckets into which a unit cuts it: their keys, and how many minutes each has. */
export interface ZoneCase {
  readonly why: string;
  readonly timeZone: string;
  readonly by: TimeUnit;
  readonly from: string;
  readonly until: string;
  readonly buckets: readonly (readonly [key: string, minutes: number])[];
}

/** How zones cut time, by examples whose clocks will not change any more. */
export const ZONE_CASES: readonly ZoneCase[] = [
  {
    why: 'the day on which clocks go back has 25 hours',
    ...{ timeZone: 'Europe/Berlin', by: 'day' },
    ...{ from: '2024-10-25T22:00:00Z', until: '2024-10-28T23:00:00Z' },
    buckets: [
      ['2024-10-26T00:00:00.000+02:00', 1440],
      ['2024-10-27T00:00:00.000+02:00', 1500],
      ['2024-10-28T00:00:00.000+01:00', 1440],
    ],
  },
  {
    why: 'an hour that the clock shows twice is two hours',
    ...{ timeZone: 'Europe/Berlin', by: 'hour' },
    ...{ from: '2024-10-26T23:00:00Z', until: '2024-10-27T02:00:00Z' },
    buckets: [
      ['2024-10-27T01:00:00.000+02:00', 60],
      ['2024-10-27T02:00:00.000+02:00', 60],
      ['2024-10-27T02:00:00.000+01:00', 60],
    ],
  },
  {
    why: 'an hour that the clock skips is none',
    ...{ timeZone: 'Europe/Berlin', by: 'hour' },
    ...{ from: '2024-03-31T00:00:00Z', until: '2024-03-31T02:00:00Z' },
    buckets: [
      ['2024-03-31T01:00:00.000+01:00', 60],
      ['2024-03-31T03:00:00.000+02:00', 60],
    ],
  },
  {
    why: 'a day that was skipped is no day',
    ...{ timeZone: 'Pacific/Apia', by: 'day' },
    ...{ from: '2011-12-29T10:00:00Z', until: '2011-12-31T10:00:00Z' },
    buckets: [
      ['2011-12-29T00:00:00.000-10:00', 1440],
      ['2011-12-31T00:00:00.000+14:00', 1440],
    ],
  },
  {
    why: 'a day whose midnight is skipped begins when the clock jumps',
    ...{ timeZone: 'America/Sao_Paulo', by: 'day' },
    ...{ from: '2018-11-03T03:00:00Z', until: '2018-11-05T02:00:00Z' },
    buckets: [
      ['2018-11-03T00:00:00.000-03:00', 1440],
      ['2018-11-04T01:00:00.000-02:00', 1380],
    ],
  },
  {
    why: 'a clock that goes back across midnight lengthens the day that has begun',
    ...{ timeZone: 'America/St_Johns', by: 'day' },
    ...{ from: '2010-11-06T02:30:00Z', until: '2010-11-08T03:30:00Z' },
    buckets: [
      ['2010-11-06T00:00:00.000-02:30', 1440],
      ['2010-11-07T00:00:00.000-02:30', 1500],
    ],
  },
  {
    why: 'a clock that goes back by an hour within an hour does not end it',
    ...{ timeZone: 'America/St_Johns', by: 'hour' },
    ...{ from: '2010-11-07T01:30:00Z', until: '2010-11-07T04:30:00Z' },
    buckets: [
      ['2010-11-06T23:00:00.000-02:30', 60],
      ['2010-11-07T00:00:00.000-02:30', 60],
      ['2010-11-07T00:00:00.000-03:30', 60],
    ],
  },
  {
    why: 'where an offset changes by half an hour, half an hour is a bucket',
    ...{ timeZone: 'Australia/Lord_Howe', by: 'hour' },
    ...{ from: '2024-04-06T14:00:00Z', until: '2024-04-06T16:30:00Z' },
    buckets: [
      ['2024-04-07T01:00:00.000+11:00', 60],
      ['2024-04-07T01:30:00.000+10:30', 30],
      ['2024-04-07T02:00:00.000+10:30', 60],
    ],
  },
  {
    why: 'hours begin where the clock shows them full',
    ...{ timeZone: 'Asia/Kathmandu', by: 'hour' },
    ...{ from: '2024-01-01T00:15:00Z', until: '2024-01-01T02:15:00Z' },
    buckets: [
      ['2024-01-01T06:00:00.000+05:45', 60],
      ['2024-01-01T07:00:00.000+05:45', 60],
    ],
  },
  {
    why: 'weeks begin on Monday, and the one in which clocks go back has an hour more',
    ...{ timeZone: 'America/New_York', by: 'week' },
    ...{ from: '2024-10-28T04:00:00Z', until: '2024-11-11T05:00:00Z' },
    buckets: [
      ['2024-10-28T00:00:00.000-04:00', 10_140],
      ['2024-11-04T00:00:00.000-05:00', 10_080],
    ],
  },
  {
    why: 'months are those of the zone',
    ...{ timeZone: 'Asia/Tokyo', by: 'month' },
    ...{ from: '2024-01-31T15:00:00Z', until: '2024-03-31T15:00:00Z' },
    buckets: [
      ['2024-02-01T00:00:00.000+09:00', 41_760],
      ['2024-03-01T00:00:00.000+09:00', 44_640],
    ],
  },
  {
    why: 'the name of a zone gives an offset, also that of no difference',
    ...{ timeZone: 'Atlantic/Reykjavik', by: 'day' },
    ...{ from: '2024-01-01T00:00:00Z', until: '2024-01-02T00:00:00Z' },
    buckets: [['2024-01-01T00:00:00.000+00:00', 1440]],
  },
];

/** Events at both ends of each bucket, one before the first bucket and one behind the last. */
export function eventsOfZone({ from, until, buckets }: ZoneCase): readonly StoredEvent[] {
  let start = Date.parse(from);
  const instants = buckets.flatMap(([, minutes]) => [start, (start += minutes * 60_000) - 1]);
  const outside = [Date.parse(from) - 1, Date.parse(until)];
  return [...instants, ...outside].map((eventTs, i) => ({
    ...{ eventName: 'a', userId: 'u', eventTs, insertId: String(i), propertiesJson: '{}' },
  }));
}
