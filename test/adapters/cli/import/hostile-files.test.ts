import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import { openZip } from '../../../../adapters/import/readers/zip.ts';
import { createPlace } from '../command.ts';
import { fromNdjson } from '../ndjson.ts';
import { zipOf } from '../../import/zip-of.ts';

const place = createPlace();
const { file, tenant } = place;
afterAll(() => place.remove());

const row = (name: string, cells: string) => `${name},u,2024-05-03T10:00:00Z,${cells}\n`;
const MAP = ['--map', 'eventName=event,userId=user,eventTs=time'];

describe('a file of a stranger', () => {
  it.each([
    ['bare', ','.repeat(150_000)],
    ['quoted', '"x",'.repeat(150_000)],
  ])('may have a row of many %s cells: it is refused by its line', async (name, wide) => {
    const alias = await tenant(`wide-${name}`);
    const table = `event,user,time,x\n${row('a', '1')}${row('b', wide)}${row('c', '1')}`;
    const { stdout, stderr } = await place.run(['import', alias, file(table), ...MAP]);
    expect(stdout).toBe('imported 2, duplicates 0, rejected 1\n');
    expect(stderr).toContain('line 3: event: its row has 15000');
  });

  it('may have a header of many cells', async () => {
    const names = Array.from({ length: 150_000 }, (_, i) => `c${i}`).join(',');
    const { code, stderr } = await place.run(['import', await tenant('header'), file(`${names}\n1,2\n`)]);
    expect([code, stderr]).toEqual([2, expect.not.stringContaining('call stack')]);
  });

  it('may have a column that JavaScript takes for something else', async () => {
    const alias = await tenant('proto');
    const head = 'website_id,session_id,event_id,created_at,event_name,__proto__';
    const umami = zipOf({ 'website_event.csv': `${head}\nw,s,e1,2024-05-03 10:00:00,click,kept\n` });
    const table = 'event,user,time,__proto__\n' + row('click', 'kept');
    const column = (name: string, value: string) => ({ name, data: [value], type: 'STRING' as const });
    const parquet = parquetWriteBuffer({
      columnData: [
        ...[column('uuid', 'i'), column('event', 'click'), column('distinct_id', 'u')],
        ...[column('timestamp', '2024-05-03T10:00:00Z'), column('__proto__', 'kept')],
      ],
    });
    await place.ok(['import', alias, file(umami)]);
    await place.ok(['import', alias, file(table), ...MAP]);
    await place.ok(['import', alias, file(Buffer.from(parquet))]);
    const events = fromNdjson(await place.ok(['export', alias]));
    expect(events.map((event) => JSON.stringify(event).includes('"__proto__":"kept"'))).toEqual([
      ...[true, true, true],
    ]);
  });

  it('may be a zip of many empty files: it takes no more memory for them', async () => {
    const many = Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`f${i}`, '']));
    const event = '{"eventName":"a","userId":"u","eventTs":"2024-05-03T10:00:00Z"}\n';
    const path = file(zipOf({ ...many, 'events.ndjson': event }));
    const zip = await openZip(path);
    zip.close();
    expect(zip.members.map(({ name }) => name)).toEqual(['events.ndjson']);
    expect(await place.ok(['import', await tenant('many'), path])).toMatch(/^imported 1,/);
  });
});
