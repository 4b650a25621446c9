import { parquetWriteBuffer } from 'hyparquet-writer';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { createLeftOut } from '../../../../adapters/cli/import/readers/left-out.ts';
import type { CellType } from '../../../../adapters/cli/import/mappings/csv.ts';
import { findInputs } from '../../../../adapters/cli/import/inputs.ts';
import { readInput } from '../../../../adapters/cli/import/read-input.ts';
import { openZip } from '../../../../adapters/cli/import/readers/zip.ts';
import { createPlace } from '../command.ts';
import { fromNdjson } from '../ndjson.ts';
import { zipOf } from './zip-of.ts';

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

  it.each<[string, Buffer]>([
    ['lines', gzipSync('\n'.repeat(1_000_000))],
    ['blanks', gzipSync('{}\n' + ' '.repeat(1_000_000))],
    ['a table', gzipSync(`event,user\n${'\n'.repeat(1_000_000)}`)],
    ['a cell', gzipSync(`event,user\n"${'\n'.repeat(1_000_000)}`)],
    ['an array', gzipSync(`[${' '.repeat(1_000_000)}`)],
    ['a table of Umami', zipOf({ 'website_event.csv': `event_id,website_id\n${'\n'.repeat(1_000_000)}` })],
    [
      'data of Umami',
      zipOf({
        'website_event.csv': 'event_id,website_id,created_at\n1,2,3\n',
        'event_data.csv': `website_event_id,data_key\n${'\n'.repeat(1_000_000)}`,
      }),
    ],
  ])('that unpacks to nothing but blanks hears a signal: %s', async (name, content) => {
    const abort = new AbortController();
    const [input] = await findInputs([file(content)]);
    const table = {
      map: new Map([['eventName', [{ column: 'event' }]]]),
      types: new Map<string, CellType>(),
    };
    const isTable = name === 'a table' || name === 'a cell';
    const options = {
      say: () => undefined,
      leftOut: createLeftOut(),
      onBytes: () => undefined,
      aborted: abort.signal,
    };
    let turns = 0;
    const count = () => {
      turns += 1;
      if (turns === 3) abort.abort(new Error('interrupted'));
      else setImmediate(count);
    };
    setImmediate(count);
    const reading = async () => {
      for await (const part of readInput(input!, { ...options, ...(isTable && { table }) }))
        for await (const record of part.records) expect(record).toBeDefined();
    };
    await expect(reading()).rejects.toThrow('interrupted');
    expect(turns).toBe(3);
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
