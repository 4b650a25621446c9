import { text } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { MAPPED_FORMATS } from '../../../../adapters/import/formats.ts';
import { createPlace, endOf } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';
import { SOURCES } from '../../import/sources.ts';
import { zipOf } from '../../import/zip-of.ts';

const place = createPlace();
const { file, tenant } = place;
afterAll(() => place.remove());

/** The events of a tenant, oldest first, as far as sources can say what they are. */
async function stored(alias: string) {
  const events = fromNdjson(await place.ok(['export', alias])) as { eventDate?: string; eventTs: string }[];
  return events
    .reverse()
    .map(({ eventDate, ...event }) => (expect(event.eventTs).toContain(eventDate), event));
}

describe('import of the files of another tool', () => {
  it('loses no value that has another shape than usual', async () => {
    const alias = await tenant('odd-shapes');
    const message = {
      ...{ type: 'track', event: 'sold', userId: 'ada', messageId: 'm-1' },
      ...{ timestamp: '2024-05-03T10:00:00.000Z', properties: ['a', 'b'] },
    };
    const both = { ...message, messageId: 'm-2', properties: { plan: 'pro' }, traits: { plan: 'free' } };
    await place.ok(['import', alias, '--from', 'segment', file(toNdjson([message, both]))]);
    const [first, second] = await stored(alias);
    expect(JSON.stringify(first)).toContain('["a","b"]');
    expect(JSON.stringify(second)).toMatch(/"plan":"pro".*"free"|"free".*"plan":"pro"/);
  });

  it('has a test for each format', () => {
    expect(Object.keys(SOURCES).sort()).toEqual([...MAPPED_FORMATS].sort());
  });

  it.each(Object.entries(SOURCES))(
    '%s: keeps times, ids, types and texts, and no event twice',
    async (name, source) => {
      const alias = await tenant(`${name}-all`);
      const path = file(source.fileOf(0, 30));
      const { code, stdout, stderr } = await place.run(['import', alias, path]);
      expect([code, stdout]).toEqual([0, 'imported 30, duplicates 0, rejected 0\n']);
      expect(stderr).toMatch(/^this is .*\n {2}eventName: /);
      const events = await stored(alias);
      expect(events).toEqual(Array.from({ length: 30 }, (_, i) => source.expected(i)));
      expect(await place.ok(['import', alias, path])).toBe('imported 0, duplicates 30, rejected 0\n');
      const overlapping = file(source.fileOf(20, 45));
      expect(await place.ok(['import', alias, overlapping])).toBe('imported 15, duplicates 10, rejected 0\n');
      const named = await place.ok(['import', alias, file(source.fileOf(40, 46)), '--from', name]);
      expect(named).toBe('imported 1, duplicates 5, rejected 0\n');
    },
  );

  it('knows a dump of RudderStack by its library too', async () => {
    const alias = await tenant('library');
    const library = { name: 'RudderLabs JavaScript SDK', version: '3.0.0' };
    const message = { type: 'page', userId: 'u', originalTimestamp: '2024-05-03T10:00:00.000Z' };
    const path = file(toNdjson([{ ...message, context: { library } }]));
    expect((await place.run(['import', alias, path])).stderr).toContain('this is a dump of RudderStack');
    expect(await stored(alias)).toMatchObject([{ properties: { rudderstack: { type: 'page' } } }]);
  });

  it('takes a JSON array of them too, and says once how numbers are read', async () => {
    const alias = await tenant('array');
    const records = [1, 2].map((i) => ({
      event: 'a',
      properties: { time: 1_700_000_000 + i, distinct_id: '', $insert_id: `${i}` },
    }));
    const { stderr } = await place.run(['import', alias, file(JSON.stringify(records))]);
    expect(stderr.match(/numbers such as/g)).toHaveLength(1);
    expect(stderr).toContain('numbers such as 1700000001 are times in seconds since 1970');
    expect(await stored(alias)).toMatchObject([
      { userId: 'anonymous', eventTs: '2023-11-14T22:13:21.000Z' },
      { userId: 'anonymous', eventTs: '2023-11-14T22:13:22.000Z' },
    ]);
  });

  it('counts records that nothing tells apart, and hashes all of one that has no id', async () => {
    const alias = await tenant('equal');
    const record = { event: 'a', properties: { time: 1_700_000_000, distinct_id: 'u', n: 1 } };
    const path = file(toNdjson([record, record, { ...record, properties: { ...record.properties, n: 2 } }]));
    expect(await place.ok(['import', alias, path])).toBe('imported 3, duplicates 0, rejected 0\n');
    expect(await place.ok(['import', alias, path])).toBe('imported 0, duplicates 3, rejected 0\n');
    const [line] = SOURCES['access-log']!.fileOf(1, 2).toString().split('\n');
    const log = file(`${line!}\n${line!}\n${line!}\n`);
    expect(await place.ok(['import', alias, log])).toBe('imported 3, duplicates 0, rejected 0\n');
    expect(await place.ok(['import', alias, log])).toBe('imported 0, duplicates 3, rejected 0\n');
  });

  it('tells two events apart whose Mixpanel ids are equal, and one that was exported twice not', async () => {
    const alias = await tenant('mixpanel-ids');
    const of = (event: string, distinct_id: string) => ({
      event,
      properties: { time: 1_700_000_000_123, distinct_id, $insert_id: 'same' },
    });
    const path = file(toNdjson([of('a', 'u'), of('b', 'u'), of('a', 'v'), of('a', 'u')]));
    expect(await place.ok(['import', alias, path])).toBe('imported 3, duplicates 1, rejected 0\n');
  });

  it('refuses a bad record by its line and stores the others', async () => {
    const alias = await tenant('bad-records');
    const good = toNdjson([{ event: 'a', properties: { time: 1_700_000_000_123, distinct_id: 'u' } }]);
    const bad = toNdjson([
      { event: 'a', properties: { distinct_id: 'u' } },
      { event: 'a', properties: { time: 'yesterday', distinct_id: 'u' } },
      { properties: { time: 1_700_000_000_123, distinct_id: 'u' } },
      'text',
    ]);
    const { code, stdout, stderr } = await place.run(['import', alias, file(`${good}${bad}{\n`)]);
    expect([code, stdout]).toEqual([1, 'imported 1, duplicates 0, rejected 5\n']);
    expect(stderr.split('\n').filter((line) => line.startsWith('line '))).toEqual([
      'line 2: eventTs: is missing: the record has no properties.time',
      'line 3: eventTs: is no time: "yesterday"',
      'line 4: eventName: is missing: the record has no event',
      'line 5: event: takes an object',
      'line 6: event: its line is not valid JSON',
    ]);
  });

  it('names the file within a zip, and reads Umami in turns', async () => {
    const alias = await tenant('zips');
    const bad = zipOf({ 'a/1.json.gz': gzipSync('{"event_type":"x","server_upload_time":"","uuid":"1"}\n') });
    const { stderr } = await place.run(['import', alias, file(bad)]);
    expect(stderr).toContain('a/1.json.gz: line 1: eventTs: is missing');
    const row = 'event_id,website_id,created_at\n1,2,no time\n';
    const turned = zipOf({ 'website_event.csv': row, 'event_data.csv': 'website_event_id,data_key\n' });
    const stopped = await place.run(['import', alias, file(turned), '--max-errors', '1']);
    expect(stopped.stderr).toContain('--max-errors: so many were rejected; a part of it is stored\n');
    const kept = zipOf({
      ...{ 'manifest.json': '{"files":1}', '__MACOSX/._a.json': 'x', '.DS_Store': 'x' },
      'a.json': toNdjson([{ eventName: 'a', userId: 'u', eventTs: 1e12 }]),
    });
    expect(await place.ok(['import', alias, file(kept)])).toBe('imported 1, duplicates 0, rejected 0\n');
    const whole = zipOf({ 'a.json': '{}\n'.repeat(1000) });
    const cut = await place.run(['import', alias, file(whole.subarray(0, whole.length - 30))]);
    expect([cut.code, cut.stderr]).toEqual([1, expect.stringMatching(/the zip is cut or damaged/)]);
  });
});

describe('a zip of Umami', () => {
  it('may hold several websites, each in a folder with its data', async () => {
    const alias = await tenant('websites');
    const event = (id: string) => `event_id,website_id,created_at\n${id},w,2024-05-03 10:00:00\n`;
    const data = (id: string, value: string) =>
      `website_event_id,data_key,string_value,data_type\n${id},site,${value},1\n`;
    const path = file(
      zipOf({
        ...{ 'a/event_data.csv': data('1', 'a'), 'a/website_event.csv': event('1') },
        ...{ 'b/event_data.csv': data('2', 'b'), 'b/website_event.csv': event('2') },
      }),
    );
    expect(await place.ok(['import', alias, path])).toBe('imported 2, duplicates 0, rejected 0\n');
    const sites = (await stored(alias)).map((found) => (found as { properties?: object }).properties);
    expect(sites).toEqual([
      { site: 'a', umami: { website_id: 'w' } },
      { site: 'b', umami: { website_id: 'w' } },
    ]);
  });
});

describe('a zip that is imported', () => {
  it('stops at a signal, and the same command continues', async () => {
    const alias = await tenant('interrupted');
    const event = (i: number) =>
      `{"eventName":"a","userId":"u","eventTs":${1_700_000_000_000 + i},"insertId":"1"}\n`;
    const path = file(zipOf({ 'a.json': Array.from({ length: 300_000 }, (_, i) => event(i)).join('') }));
    const child = place.start(['import', alias, path]);
    const ended = endOf(child);
    // The first batch of 150 is stored when the signal comes.
    while ((await place.ok(['count', alias])) === '0\n') await new Promise((done) => setTimeout(done, 20));
    child.kill('SIGINT');
    const [stderr, code] = await Promise.all([text(child.stderr!), ended]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/interrupted; everything up to line \d+ is stored/),
    ]);
    const stored = Number(await place.ok(['count', alias]));
    expect(await place.ok(['import', alias, path])).toBe(
      `imported ${300_000 - stored}, duplicates ${stored}, rejected 0\n`,
    );
  });
});

describe('a format that import does not know', () => {
  it('is shown, with what would be right', async () => {
    const alias = await tenant('unknown');
    const { code, stderr } = await place.run(['import', alias, file('{"kind":"x","at":1}\n{"kind":"y"}\n')]);
    expect([code, stderr.split('\n')]).toEqual([
      2,
      [
        'this is JSON of no format that import knows; it begins:',
        ...['  {"kind":"x","at":1}', '  {"kind":"y"}'],
        expect.stringContaining('--from FORMAT says so: mixpanel'),
        expect.stringContaining('--map eventName=?,userId=?,eventTs=?'),
        '',
      ],
    ]);
    const words = await place.run(['import', alias, file('hello\nworld\n')]);
    expect([words.code, words.stderr]).toEqual([
      2,
      expect.stringMatching(/^it begins:\n {2}hello\n {2}world\n/),
    ]);
    expect(await place.ok(['count', alias])).toBe('0\n');
  });

  it.each([
    ['Plausible', zipOf({ 'imported_visitors_20240101.csv': 'date,visitors\n' })],
    ['Plausible', Buffer.from('"date","visitors","pageviews"\n')],
    ['self-hosted Umami', zipOf({ 'pages.csv': 'x,y\n', 'referrers.csv': 'x,y\n' })],
  ])('totals of %s are refused by a sentence', async (tool, content) => {
    const { code, stderr } = await place.run(['import', 'unknown', file(content)]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`of.* ${tool}.*no events`))]);
  });

  it('in a pipe is refused where it has to be a file, and so is an unknown zone', async () => {
    const piped = await place.run(['import', 'unknown', '-'], { input: zipOf({ a: '' }) });
    expect([piped.code, piped.stderr]).toEqual([2, expect.stringContaining('give the file itself')]);
    const zone = await place.run(['import', 'unknown', '-', '--time-zone', 'Mars/Olympus']);
    expect([zone.code, zone.stderr]).toEqual([2, expect.stringContaining('--time-zone takes a name')]);
  });
});

describe('what is left out', () => {
  it('is counted and named: files of a zip, columns of a table', async () => {
    const alias = await tenant('left-out');
    const zip = zipOf({
      'website_event.csv': 'event_id,created_at,event_name\n1,2024-05-03 10:00:00,buy\n',
      'event_data.csv': 'event_id,data_key,string_value,data_type,job_id\n1,a,x,1,j\n',
      'session_data.csv': 'session_id,data_key\n1,a\n',
      'notes.txt': 'hello',
    });
    const { stderr } = await place.run(['import', alias, file(zip)]);
    expect(stderr.split('\n').filter((line) => line.startsWith('left out'))).toEqual([
      'left out: column job_id of event_data.csv (1)',
      'left out: file notes.txt of the zip (1)',
      'left out: file session_data.csv of the zip (1)',
    ]);
    const told = JSON.parse(await place.ok(['import', alias, file(zip), '--json'])) as { leftOut: object[] };
    expect(told.leftOut).toHaveLength(3);
  });
});

describe('--time-zone', () => {
  const record = { event: 'a', properties: { time: 1_714_730_400, distinct_id: 'u', $insert_id: 'i' } };
  it.each<[string, string]>([
    ['numbers', toNdjson([record])],
    ['events of our own', toNdjson([{ eventName: 'a', userId: 'u', eventTs: '2024-05-03T10:00:00Z' }])],
    ['lines of a log', SOURCES['access-log']!.fileOf(0, 2).toString()],
  ])('says that it moves no time of %s', async (name, content) => {
    const alias = await tenant(`zone-${name.replaceAll(' ', '-')}`);
    const { stderr } = await place.run(['import', alias, file(content), '--time-zone', 'Asia/Tokyo']);
    expect(stderr).toContain('--time-zone has no effect here');
  });

  it.each(['amplitude', 'umami', 'posthog', 'snowplow'])(
    'is refused for %s, whose times are UTC',
    async (name) => {
      const alias = await tenant(`utc-${name}`);
      const path = file(SOURCES[name]!.fileOf(0, 2));
      const { code, stderr } = await place.run(['import', alias, path, '--time-zone', 'Asia/Tokyo']);
      expect([code, stderr]).toEqual([2, expect.stringContaining('are UTC where they name no zone')]);
      expect(await place.ok(['import', alias, path, '--time-zone', 'UTC'])).toMatch(/^imported 2,/);
    },
  );
});
