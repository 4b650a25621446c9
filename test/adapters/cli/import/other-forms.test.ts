import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { IMPORT_FORMATS, type ImportFormat } from '../../../../adapters/import/formats.ts';
import { createPlace } from '../command.ts';
import { fromNdjson } from '../ndjson.ts';
import { SOURCES } from '../../import/sources.ts';
import { zipOf } from '../../import/zip-of.ts';

const place = createPlace();
const { file, tenant } = place;
afterAll(() => place.remove());

const EVENT_COLUMNS = 'website_id,session_id,event_id,created_at,url_path,event_type,event_name,plan';
const UMAMI =
  `${EVENT_COLUMNS}\nw,s1,e1,2024-05-03 10:00:00,/a,1,,\n` + 'w,s1,e2,2024-05-03 10:00:01,/b,2,signup,pro\n';

/** A file of each form, and the formats whose records it may hold. */
const FORMS: Record<string, readonly [content: string, takenBy: readonly ImportFormat[]]> = {
  'a table': ['type,uid,at\na,u,2024-05-03T10:00:00Z\nb,u,2024-05-03T10:00:00Z\n', ['csv', 'snowplow']],
  'our own table': [
    'eventName,userId,eventTs,insertId,properties.a\nx,u,2024-05-03T10:00:00.000Z,1,b\n',
    ['event-query', 'csv'],
  ],
  JSON: [gunzipSync(SOURCES.mixpanel!.fileOf(0, 3)).toString('utf8'), []],
  'a log': ['203.0.113.7 - - [05/May/2024:21:25:27 +0000] "GET /a HTTP/1.1" 200 10\n', ['access-log']],
  'lines of Snowplow': [gunzipSync(SOURCES.snowplow!.fileOf(0, 2)).toString('utf8'), ['snowplow']],
  'a table of Umami': [UMAMI, ['umami', 'csv']],
};
const isOfJson = (format: ImportFormat) => !['csv', 'snowplow'].includes(format);
const cases = Object.entries(FORMS).flatMap(([form, [content, takenBy]]) =>
  IMPORT_FORMATS.filter((format) => !(takenBy.includes(format) || (form === 'JSON' && isOfJson(format)))).map(
    (format): [ImportFormat, string, string] => [format, form, content],
  ),
);

describe('--from', () => {
  it.each(cases)('%s says of %s what it is, and what would be right', async (format, form, content) => {
    const alias = await tenant(`other-${cases.findIndex((each) => each[0] === format && each[1] === form)}`);
    const { code, stdout, stderr } = await place.run(['import', alias, file(content), '--from', format]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(new RegExp(`--from ${format} takes .*, and this is .*: leave --from out`));
  });

  it('says of records that another format is likelier', async () => {
    const alias = await tenant('likelier');
    const { stderr } = await place.run(['import', alias, file(FORMS.JSON![0]), '--from', 'amplitude']);
    expect(stderr).toContain('its first record looks like an export of Mixpanel: --from mixpanel');
  });

  it('csv takes no JSON, also with --map', async () => {
    const map = [
      '--from',
      'csv',
      '--map',
      'eventName=event,userId=properties.distinct_id,eventTs=properties.time',
    ];
    const { code, stderr } = await place.run([
      'import',
      await tenant('csv-json'),
      file(FORMS.JSON![0]),
      ...map,
    ]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('leave --from out; --map takes JSON, too')]);
  });
});

describe('website_event.csv of Umami', () => {
  it('is read alone as in the zip, with page views by their name', async () => {
    const stored = async (alias: string, content: string | Buffer, ...flags: string[]) => {
      await place.ok(['import', await tenant(alias), file(content), ...flags]);
      return fromNdjson(await place.ok(['export', alias])) as object[];
    };
    const alone = await stored('alone', UMAMI);
    expect(alone).toMatchObject([
      { eventName: 'signup', properties: { umami: { plan: 'pro', url_path: '/b' } } },
      { eventName: 'page_viewed', userId: 's1', insertId: 'e1' },
    ]);
    const withoutArrival = (events: readonly object[]) =>
      events.map((each) => ({ ...each, receivedAt: null }));
    const zipped = await stored('zipped', zipOf({ 'website_event.csv': UMAMI }));
    expect(withoutArrival(zipped)).toEqual(withoutArrival(alone));
    expect(withoutArrival(await stored('named', UMAMI, '--from', 'umami'))).toEqual(withoutArrival(alone));
    const { stderr } = await place.run(['import', await tenant('again'), file(UMAMI)]);
    expect(stderr).toContain('event_data.csv holds the data of events');
  });

  it('goes by what --map says, where that is given', async () => {
    const alias = await tenant('mapped');
    await place.ok([
      ...['import', alias, file(UMAMI), '--time-zone', 'UTC'],
      ...['--map', 'eventName="seen",userId=session_id,eventTs=created_at'],
    ]);
    expect(await place.ok(['export', alias])).toContain('"eventName":"seen"');
  });
});
