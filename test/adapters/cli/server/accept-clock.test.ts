import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { runSql } from '../../../support/file.ts';
import { createPlace, type Server } from '../command.ts';

const OLD = { eventName: 'a', userId: 'u', eventTs: '2020-01-01T00:00:00Z' };

async function untilLogged(server: Server, pattern: RegExp): Promise<void> {
  while (!pattern.test(server.log())) await sleep(20);
}

it('a server that was off for three days erases nothing until its clock is accepted', async () => {
  const place = createPlace();
  onTestFinished(() => place.remove());
  await place.ok(['tenant', 'create', 'shop', '--retention-days', '30']);
  const importOld = (insertId: string) => place.import('shop', JSON.stringify({ ...OLD, insertId }));
  const countAll = async () => Number(await place.ok(['count', 'shop']));

  await importOld('1');
  const first = await place.serve(['serve']);
  await untilLogged(first, /are no longer kept were erased/);
  await first.stop();
  // Shift everything three days into the past.
  runSql(place.db, "UPDATE buckets SET updated_at = updated_at - 3 * 86400000 WHERE id LIKE 'retention%'");

  await importOld('2');
  const today = new Date().toISOString().slice(0, 10);
  for (const flags of [[], ['--accept-clock', '2026-01-01']]) {
    const refusing = await place.serve(['serve', ...flags]);
    await untilLogged(refusing, /3 days after the last look; .*serve --accept-clock /);
    await refusing.stop();
    expect(await countAll()).toBe(1);
  }
  const accepting = await place.serve(['serve', '--workers', '2', '--accept-clock', today]);
  await untilLogged(accepting, /are no longer kept were erased/);
  await accepting.stop();
  expect(await countAll()).toBe(0);
});

it('a clock is accepted by a real date', async () => {
  const place = createPlace();
  onTestFinished(() => place.remove());
  const { code, stderr } = await place.run(['serve', '--accept-clock', 'yes']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('It takes a real date, YYYY-MM-DD')]);
});
