import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Differences } from '../../../../src/index.ts';
import { createPlace } from '../command.ts';
import { toNdjson } from '../ndjson.ts';

const place = createPlace();
afterAll(() => place.remove());

const happened = (i: number, eventTs: string, properties: object) => ({
  ...{ userId: 'ada', eventName: 'purchase', eventTs: `2026-01-${eventTs}:00Z`, insertId: `${i}` },
  properties,
});

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  await place.import(
    'shop',
    toNdjson([
      happened(1, '01T10:00', { plan: 'pro', version: '1' }),
      happened(2, '01T11:00', { plan: 'free', version: '1' }),
      happened(3, '01T12:00', { plan: 'free', version: '1' }),
      happened(4, '01T13:00', { version: '1' }),
      happened(5, '02T10:00', { plan: 'pro', version: '2' }),
      happened(6, '02T11:00', { plan: 'free', version: '2' }),
    ]),
  );
});

const told = async (...flags: string[]) => {
  const { code, stdout, stderr } = await place.run(['compare', 'shop', ...flags]);
  return code === 0 ? `${stdout}${stderr}` : `${code}: ${stderr}`;
};
const DAY = ['--select-after', '2026-01-02', '--select-before', '2026-01-02'];

it('tells the values whose shares differ, the greatest difference first', async () => {
  const version =
    'properties.version\t"1"\t0\t0.00 %\t4\t100.00 %\t-100.00\n' +
    'properties.version\t"2"\t2\t100.00 %\t0\t0.00 %\t+100.00\n';
  const plan =
    'properties.plan\t"pro"\t1\t50.00 %\t1\t25.00 %\t+25.00\n' +
    'properties.plan\tnull\t0\t0.00 %\t1\t25.00 %\t-25.00\n';
  expect(await told(...DAY)).toBe(`${version}${plan}2 events against 4, by 3 paths\n`);
  expect(await told(...DAY, '--size', '2', '--path', 'properties.version')).toBe(
    `${version}2 events against 4, by 1 paths\n`,
  );
  const instants = ['--select-from', '2026-01-02T00:00:00Z', '--select-until', '2026-01-03T00:00:00Z'];
  expect(await told(...instants)).toBe(await told(...DAY));
});

it('selects by filters and by name, among the events that match', async () => {
  expect(await told('--before', '2026-01-01', '--select', 'properties.plan = "free"')).toMatch(
    /^properties\.plan\t"free"\t2\t100.00 %\t0\t0.00 %\t\+100.00\n/,
  );
  expect(await told('--select-event', 'purchase')).toMatch(/6 events against 0/);
});

it('prints bars on a terminal, and the response of the HTTP API', async () => {
  const terminal = await place.ok(['compare', 'shop', ...DAY], { terminal: true });
  expect(terminal).toMatch(/^PATH +VALUE +SELECTED +SHARE +OTHERS +SHARE +DIFFERENCE +BAR\n/);
  expect(terminal).toContain('█');
  const found = JSON.parse(await place.ok(['compare', 'shop', ...DAY, '--json'])) as Differences;
  expect(found).toMatchObject({ selected: 2, baseline: 4, more: false });
  expect(found.rows[0]).toEqual({
    ...{ path: 'properties.version', value: '1', selected: 0, baseline: 4 },
    ...{ selectedShare: 0, baselineShare: 1, difference: -1 },
  });
});
