import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { toNdjson } from '../ndjson.ts';

const place = createPlace();
afterAll(() => place.remove());

const happened = (userId: string, eventName: string, eventTs: string, plan?: string) => ({
  ...{ userId, eventName, eventTs: `2026-01-${eventTs}:00Z` },
  ...{ insertId: `${userId}${eventTs}`, properties: plan === undefined ? {} : { plan, total: 60 } },
});

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  await place.import(
    'shop',
    toNdjson([
      happened('ada', 'ui:view', '01T10:00', 'pro'),
      happened('ada', 'purchase', '01T11:30', 'pro'),
      happened('bob', 'ui:view', '02T10:00'),
      happened('bob', 'refund', '02T11:00'),
      happened('bob', 'purchase', '02T12:00'),
      happened('eve', 'ui:view', '02T11:00', 'free'),
      happened('eve', 'purchase', '12T11:00', 'free'),
    ]),
  );
});

const told = async (...flags: string[]) => {
  const { code, stdout, stderr } = await place.run(['sequence', 'shop', ...flags]);
  return code === 0 ? `${stdout}${stderr}` : `${code}: ${stderr}`;
};
const BUY = ['--step', 'ui:view', '--step', 'purchase'];

it('tells how many users come how far, with the times since the step before', async () => {
  expect(await told(...BUY)).toBe('1\tui:view\t3\t100.0\n2\tpurchase\t3\t100.0\n3 of 3 came through\n');
  expect(await told(...BUY, '--within', '7d', '--percentile', 'p50', '--percentile', 'p100')).toBe(
    '1\tui:view\t3\t100.0\t\t\n2\tpurchase\t2\t66.7\t5400000\t7200000\n2 of 3 came through\n',
  );
  const three = ['--step', 'ui:view', '--step', 'refund', '--step', 'purchase', '--percentile', 'p50'];
  expect(await told(...three)).toBe(
    '1\tui:view\t3\t100.0\t\n2\trefund\t1\t33.3\t3600000\n3\tpurchase\t1\t33.3\t3600000\n' +
      '1 of 3 came through\n',
  );
  const filtered = ['--step', 'ui:view', '--step', 'purchase: properties.total > 50'];
  expect(await told(...filtered)).toMatch(/^2\tpurchase\t2\t66.7$/m);
  // The filter begins behind the first colon that a blank follows, whatever its texts have.
  const text = ['--step', 'ui:view', '--step', 'purchase: properties.plan != "a: b"'];
  expect(await told(...text)).toMatch(/^2\tpurchase\t3\t100.0$/m);
  expect(await told('--step', '*', '--step', ': properties.plan = "pro"')).toMatch(/^2\t\*\t1\t33.3$/m);
});

it('takes exclusions, strict order and what is held constant', async () => {
  expect(await told(...BUY, '--without', '1: refund')).toMatch(/^2 of 3 came through$/m);
  expect(await told(...BUY, '--strict')).toMatch(/^2 of 3 came through$/m);
  expect(await told(...BUY, '--same', 'properties.plan')).toMatch(/^2 of 2 came through$/m);
  expect(await told(...BUY, '--distinct', 'properties.plan')).toMatch(
    /came through; 2 events of a step without/,
  );
});

it('tells the groups of a path or of time', async () => {
  expect(await told(...BUY, '--by', 'properties.plan', '--size', '1')).toBe(
    '"free"\t1\t1\n3 of 3 came through; 1 of 2 groups are shown (--size); 2, 2 in none of them\n',
  );
  expect(await told(...BUY, '--by', 'day', '--time-zone', 'Asia/Tokyo')).toBe(
    '2026-01-01T00:00:00.000+09:00\t1\t1\n2026-01-02T00:00:00.000+09:00\t2\t2\n3 of 3 came through\n',
  );
});

it('prints a table with bars on a terminal, times as people say them, and JSON', async () => {
  const flags = ['sequence', 'shop', ...BUY, '--percentile', 'p50', '--percentile', 'p100'];
  const shown = await place.ok(flags, { terminal: true });
  expect(shown).toMatch(/^STEP +EVENT +COUNT +% +P50 +P100 +BAR\n +1 +ui:view +3 +100.0 +█{24}\n/);
  expect(shown).toMatch(/\n +2 +purchase +3 +100.0 +2h +10d +█{24}\n/);
  const body = join(place.folder, 'sequence.json');
  writeFileSync(
    body,
    '{"steps": [{"event": "ui:view"}, {"event": "purchase"}], "percentiles": ["p50", "p100"]}',
  );
  expect(await place.ok(['sequence', 'shop', '--body', body], { terminal: true })).toBe(shown);
  expect(JSON.parse(await place.ok([...flags, '--json']))).toEqual({
    steps: [
      { count: 3 },
      {
        count: 3,
        sinceStart: { p50: 7_200_000, p100: 864_000_000 },
        sincePrevious: { p50: 7_200_000, p100: 864_000_000 },
      },
    ],
    missing: 0,
  });
});

it('says which flag is wrong, and why nothing was found', async () => {
  expect(await told()).toMatch(/^2: .*--step is missing: a step is the name of an event/s);
  expect(await told('--step', ' ')).toMatch(/^2: .*--step " ": a step is the name of an event/s);
  expect(await told(...BUY, '--without', '1 x')).toMatch(/--without "1 x": takes the number of a step/);
  expect(await told(...BUY, '--without', '2: x')).toMatch(/exclusion 1: after: takes the number of a step/);
  expect(await told(...BUY, '--within', '7')).toMatch(/--within: takes a length of time/);
  expect(await told(...BUY, '--percentile', 'p50.0001')).toMatch(/--percentile: takes a percentile/);
  expect(await told('--step', 'ui:vieww')).toMatch(
    /no event has the name "ui:vieww"; did you mean "ui:view"\?/,
  );
});

describe('retention', () => {
  const returned = async (...flags: string[]) => {
    const { code, stdout, stderr } = await place.run(['retention', 'shop', ...flags]);
    return code === 0 ? `${stdout}${stderr}` : `${code}: ${stderr}`;
  };
  const back = ['--start', 'ui:view', '--return', 'purchase'];

  it('tells how many of each cohort return in each period', async () => {
    const days = [...back, '--unit', 'day', '--periods', '2'];
    expect(await returned(...days)).toBe(
      `2026-01-01T00:00:00.000Z\t1\t1\t0\n2026-01-02T00:00:00.000Z\t2\t1\t0\n` +
        '3 started; columns are the days after that\n',
    );
    expect(await returned(...days, '--or-later')).toContain('2026-01-02T00:00:00.000Z\t2\t2\t1\n');
    expect(await returned(...back, '--distinct', 'properties.plan', '--time-zone', 'Asia/Tokyo')).toMatch(
      /^2025-12-29T00:00:00.000\+09:00\t2\t1(\t\d){7}\n2 started; columns are the weeks after that; 2 events/,
    );
  });

  it('prints a table on a terminal, and JSON', async () => {
    const flags = ['retention', 'shop', ...back, '--periods', '2'];
    expect(await place.ok(flags, { terminal: true })).toMatch(
      /^FROM +STARTED +0 +1\n2025-12-29\S+ +3 +2 +0\n/,
    );
    expect(JSON.parse(await place.ok([...flags, '--json']))).toEqual({
      ...{ total: 3, missing: 0 },
      cohorts: [
        {
          ...{ key: '2025-12-29T00:00:00.000Z', count: 3 },
          periods: [
            { count: 2, orLater: 3 },
            { count: 0, orLater: 1 },
          ],
        },
      ],
    });
  });

  it('says which flag is wrong', async () => {
    expect(await returned('--start', 'a')).toMatch(
      /^2: .*--return is missing: a step is the name of an event/s,
    );
    expect(await returned(...back, '--unit', 'hour')).toMatch(
      /--unit <unit>.*Allowed choices are day, week, month/s,
    );
    expect(await returned(...back, '--periods', '101')).toMatch(
      /--periods: takes a whole number from 1 to 100/,
    );
    expect(await returned(...back, '--unit', 'month', '--periods-from', 'start')).toMatch(
      /--periods-from: months have no length of their own/,
    );
  });
});

describe('users', () => {
  const listed = async (...flags: string[]) => {
    const { code, stdout, stderr } = await place.run(['users', 'shop', ...flags]);
    return code === 0 ? `${stdout}${stderr}` : `${code}: ${stderr}`;
  };

  it('lists users by what they did, in pages', async () => {
    const all =
      'ada\t2\t2026-01-01T10:00:00.000Z\t2026-01-01T11:30:00.000Z\n' +
      'bob\t3\t2026-01-02T10:00:00.000Z\t2026-01-02T12:00:00.000Z\n' +
      'eve\t2\t2026-01-02T11:00:00.000Z\t2026-01-12T11:00:00.000Z\n';
    expect(await listed()).toBe(all);
    expect(await listed('--did', 'purchase', '--never', 'refund')).toBe(all.replace(/^bob.*\n/m, ''));
    expect(await listed('--did', 'purchase>=2')).toBe('');
    expect(await listed('--did', 'purchase=1: properties.plan = "pro"')).toMatch(/^ada\t.*\n$/);
    expect(await listed('--did', '*<=2')).toBe(all.replace(/^bob.*\n/m, ''));
    const first = await listed('--size', '2');
    expect(first).toMatch(/^ada\t.*\nbob\t.*\nnext page: --cursor (\S+)\n$/);
    const cursor = /--cursor (\S+)/.exec(first)![1]!.replaceAll("'", '');
    expect(await listed('--size', '2', '--cursor', cursor)).toMatch(/^eve\t.*\n$/);
  });

  it('lists who came how far in a sequence, with the time of each step', async () => {
    const steps = [...BUY, '--within', '7d'];
    expect(await listed(...steps, '--reached', '2')).toMatch(
      /^ada\t2\t.*\t2026-01-01T10:00:00.000Z\t2026-01-01T11:30:00.000Z\nbob\t/,
    );
    expect(await listed(...steps, '--stopped', '1')).toMatch(/^eve\t2\t.*\t2026-01-02T11:00:00.000Z\t\n$/);
    expect(await place.ok(['users', 'shop', ...steps, '--stopped', '1'], { terminal: true })).toMatch(
      /^USER +EVENTS +FIRST +LAST +STEP 1 +STEP 2\n/,
    );
  });

  it('says which flag is wrong', async () => {
    expect(await listed('--reached', '1')).toMatch(/^2: .*--step is missing/s);
    expect(await listed(...BUY)).toMatch(/sequence: takes either reached/);
    expect(await listed(...BUY, '--reached', '3')).toMatch(
      /--reached: takes the number of a step, 1 to 2; got 3/,
    );
    expect(await listed('--cursor', 'x')).toMatch(/--cursor: takes the X-Next-Cursor/);
  });
});
