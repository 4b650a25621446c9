import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import { deepArrays, withEachValue } from '../../../support/deep-json.ts';
import { createPlace } from '../command.ts';
import { datum, toCsv, uuid } from '../../import/sources.ts';
import { zipOf } from '../../import/zip-of.ts';

const place = createPlace();
const { file, tenant } = place;
afterAll(() => place.remove());

const TIME = '2024-05-03T10:00:00.000Z';
const call = {
  ...{ type: 'track', event: 'sold', userId: 'ada', messageId: 'm-1', timestamp: TIME },
  ...{ context: { library: { name: 'a' } }, properties: { plan: 'pro' }, more: 1 },
};

/** A record of each format that is a line of JSON, with a value in each place that is read. */
const RECORDS: Readonly<Record<string, object>> = {
  'event-query': { eventName: 'sold', userId: 'ada', eventTs: TIME, properties: { plan: 'pro' } },
  segment: call,
  rudderstack: { ...call, rudderId: 'r', context: { library: { name: 'RudderLabs' } } },
  posthog: {
    ...{ uuid: uuid(1), event: 'sold', distinct_id: 'ada', timestamp: TIME },
    ...{ properties: { plan: 'pro' }, person_id: 'p' },
  },
  mixpanel: {
    event: 'sold',
    properties: { time: 1_714_730_400, distinct_id: 'ada', $insert_id: 'i', plan: 'pro' },
  },
  amplitude: {
    ...{ event_type: 'sold', user_id: 'ada', device_id: 'd', event_time: '2024-05-03 10:00:00.000000' },
    ...{ $insert_id: 'i', amplitude_id: 1, event_properties: { plan: 'pro' }, uuid: uuid(2) },
  },
};

describe('an import of values that nest too deep', () => {
  it.each(Object.entries(RECORDS))('of %s refuses each by itself', async (format, record) => {
    const alias = await tenant(`deep-${format}`);
    const bad = [...withEachValue(record, deepArrays(20_000))];
    for (const path of [
      file([...bad, JSON.stringify(record)].join('\n')),
      file(`[${[JSON.stringify(record), ...bad].join(',')}]`),
    ]) {
      const { stdout, stderr } = await place.run(['import', alias, '--from', format, path]);
      expect([stdout, stderr]).toEqual([
        expect.stringMatching(new RegExp(`^imported [01], duplicates [01], rejected ${bad.length}\n`)),
        expect.stringContaining('nests too deep'),
      ]);
    }
    expect(await place.ok(['export', alias, '--format', 'csv'])).toContain('sold');
  });

  it('of a table keeps a cell of its own as a text, and refuses one that has to be JSON', async () => {
    const alias = await tenant('deep-table');
    const path = file(
      `name,user,at,list\nsold,ada,${TIME},"${deepArrays(20_000)}"\nsold,bob,${TIME},"[1]"\n`,
    );
    const map = 'eventName=name,userId=user,eventTs=at';
    const args = ['import', alias, '--map', map, '--types', 'list=json', path];
    expect((await place.run(args)).stdout).toBe('imported 1, duplicates 0, rejected 1\n');
    const own = file(
      `eventName,userId,eventTs,insertId,properties.list\nsold,eve,${TIME},i,"${deepArrays(20_000)}"\n`,
    );
    expect(await place.ok(['import', alias, own])).toBe('imported 1, duplicates 0, rejected 0\n');
  });

  it('of a Parquet file keeps a cell as the text that it is, and one that is no JSON', async () => {
    const alias = await tenant('deep-parquet');
    const deep = deepArrays(20_000);
    const placeholder = 'x'.repeat(deep.length - 2);
    const of = <T>(value: T) => [value, value, value];
    const content = parquetWriteBuffer({
      columnData: [
        { name: 'event', data: of('sold'), type: 'STRING' },
        { name: 'distinct_id', data: of('ada'), type: 'STRING' },
        { name: 'uuid', data: [uuid(1), uuid(2), uuid(3)], type: 'STRING' },
        { name: 'timestamp', data: of(new Date(TIME)), type: 'TIMESTAMP' },
        { name: 'properties', data: [{ list: [1] }, placeholder, 'yyyyy'], type: 'JSON' },
      ],
      codec: 'UNCOMPRESSED',
    });
    const bytes = Buffer.from(content)
      .toString('latin1')
      .replaceAll(JSON.stringify(placeholder), deep)
      .replaceAll('"yyyyy"', '{oops!}');
    const path = file(Buffer.from(bytes, 'latin1'));
    expect(await place.ok(['import', alias, path])).toBe('imported 3, duplicates 0, rejected 0\n');
    const events = await place.ok(['export', alias]);
    expect(events).toContain('"list":[1]');
    expect(events).toContain('"properties":"[[[');
    expect(events).toContain('"properties":"{oops!}"');
  });

  it('of Umami keeps a list as the text that it is', async () => {
    const alias = await tenant('deep-umami');
    const path = file(
      zipOf({
        'website_event.csv': toCsv([
          { event_id: uuid(1), website_id: uuid(2), created_at: '2024-05-03 10:00:00', event_name: 'sold' },
        ]),
        'event_data.csv': toCsv([datum(1, 'list', 5, { string_value: deepArrays(20_000) })]),
      }),
    );
    expect(await place.ok(['import', alias, path])).toBe('imported 1, duplicates 0, rejected 0\n');
    expect(await place.ok(['export', alias])).toContain(`"list":"[[[`);
  });
});
