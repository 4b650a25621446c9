import { afterAll, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { runSql, withRecordsOf } from '../../../support/file.ts';

const place = createPlace();
afterAll(() => place.remove());

it('shows what was refused and why, the latest first, and forgets it when asked', async () => {
  await place.ok(['tenant', 'create', 'shop']);
  expect(await place.ok(['refusals', 'shop'])).toBe('');
  const example = {
    type: 'object',
    length: 1,
    fields: [{ key: 'eventName', type: 'null' }],
    more: 0,
  } as const;
  await withRecordsOf(place.db, async ({ tenants, refusals }) => {
    const { id } = (await tenants.findByAlias('shop'))!;
    await refusals.add(id, [
      { reason: 'eventName', count: 3, firstAt: 0, lastAt: 5000, example },
      { reason: 'notJson', count: 2, firstAt: 1000, lastAt: 9000, example: null },
    ]);
  });
  expect(await place.ok(['refusals', 'shop'])).toBe(
    [
      '2\trequests\tnotJson\t1970-01-01T00:00:01.000Z\t1970-01-01T00:00:09.000Z\t',
      'The body is not valid JSON.\n',
      '3\tevents\teventName\t1970-01-01T00:00:00.000Z\t1970-01-01T00:00:05.000Z\t',
      'eventName takes a string of 1 to 256 characters. A public write key may take certain names only.\n',
    ].join(''),
  );
  expect(JSON.parse(await place.ok(['refusals', 'shop', '--json']))).toMatchObject([
    { reason: 'notJson', of: 'requests', count: 2, example: null },
    { reason: 'eventName', of: 'events', firstAt: '1970-01-01T00:00:00.000Z', example },
  ]);
  const { stdout, stderr } = await place.run(['refusals', 'shop', '--clear']);
  expect([stdout.split('\n').length, stderr]).toEqual([3, 'the refusals of shop are forgotten\n']);
  expect(await place.ok(['refusals', 'shop', '--json'])).toBe('[]\n');
  const [{ action }] = runSql(
    place.db,
    "SELECT json_extract(note, '$.action') AS action FROM audit ORDER BY number DESC",
  ) as [{ action: string }];
  expect(action).toBe('refusals.clear');
});

it('says which tenant was meant', async () => {
  const { code, stderr } = await place.run(['refusals', 'shopp']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('did you mean "shop"')]);
});
