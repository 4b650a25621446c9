import { gunzipSync } from 'node:zlib';
import { afterAll, describe, expect, it } from 'vitest';
import { isJsonObject } from '../../../../src/internal.ts';
import type { JsonObject, JsonValue } from '../../../../src/index.ts';
import { createPlace } from '../command.ts';
import { toNdjson } from '../ndjson.ts';
import { SOURCES } from '../../import/sources.ts';
import { zipOf } from '../../import/zip-of.ts';

const place = createPlace();
const { file, tenant } = place;
afterAll(() => place.remove());

/** A name that no format has, and a value that nothing else holds. */
const [NAME, VALUE] = ['zz-unknown', 'value-of-nothing'];

let count = 0;

/** Whether what was added to a file is in an event, or else named where an import says what it left out. */
async function whereIsIt(content: string | Buffer, flags: readonly string[]) {
  count += 1;
  const alias = await tenant(`lost-${count}`);
  const { stdout, stderr } = await place.run(['import', alias, file(content), '--json', ...flags]);
  const { imported = 0, leftOut = [] } = JSON.parse(stdout || '{}') as {
    imported?: number;
    leftOut?: { what: string; count: number }[];
  };
  const isKept = imported > 0 && (await place.ok(['export', alias])).includes(VALUE);
  const named = leftOut.find(({ what }) => what.toLowerCase().includes(NAME));
  return { isKept, named, imported, stderr };
}

/** Copies of a value, each with an unknown key in another of its objects. */
function* withUnknown(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value)) {
    for (const [i, each] of value.entries())
      for (const changed of withUnknown(each))
        yield value.map((item: JsonValue, at) => (at === i ? changed : item));
    return;
  }
  if (!isJsonObject(value)) return;
  yield { ...value, [NAME]: VALUE };
  for (const [key, each] of Object.entries(value))
    for (const changed of withUnknown(each)) yield { ...value, [key]: changed };
}

const textOf = (content: Buffer) => (content[0] === 0x1f ? gunzipSync(content) : content).toString('utf8');
const records = Object.entries(SOURCES).flatMap(([format, source]): [string, JsonObject][] => {
  const text = textOf(source.fileOf(1, 2));
  return text.startsWith('{') ? [[format, JSON.parse(text) as JsonObject]] : [];
});
const changed = records.flatMap(([format, record]) =>
  [...withUnknown(record)].map((each, i): [string, number, JsonValue] => [format, i, each]),
);

const EVENTS = `website_id,session_id,event_id,created_at,event_name`;
const DATA = 'website_event_id,data_key,string_value,data_type';
const [EVENT_ROW, DATA_ROW] = ['w,s,e1,2024-05-03 10:00:00,seen', 'e1,plan,pro,1'];
const LOG = '203.0.113.7 - - [05/May/2024:21:25:27 +0000] "GET /a HTTP/1.1" 200 10 "-" "UA/1"';
const W3C = '#Version: 1.0\n#Fields: date time c-ip cs-method cs-uri-stem sc-status';
const OWN = 'eventName,userId,eventTs,insertId';
const OWN_ROW = 'a,u,2024-05-03T10:00:00Z,1';
const MAP = ['--map', 'eventName=event,userId=user,eventTs=at'];
const ITEM = { event: 'a', user: 'u', at: '2024-05-03T10:00:00Z' };
const events = `${EVENTS}\n${EVENT_ROW}\n`;
const jsonLog = {
  remote_addr: '203.0.113.7',
  time: '2024-05-03T10:00:00Z',
  request: 'GET /a HTTP/1.1',
  status: 200,
};

describe('what a file holds beside what its format has', () => {
  it('is tried in more than one object of each format', () => {
    expect(records.length).toBeGreaterThanOrEqual(5);
    expect(changed.length).toBeGreaterThan(2 * records.length);
  });

  it.each(changed)('is in the event or named: %s, object %i', async (format, _, record) => {
    const { isKept, named, imported, stderr } = await whereIsIt(toNdjson([record]), ['--from', format]);
    expect([imported, stderr]).toEqual([1, expect.any(String)]);
    expect(isKept || named !== undefined).toBe(true);
  });

  it.each<[string, string | Buffer, (readonly string[])?]>([
    ['a column of a table', `event,user,at,${NAME}\na,u,2024-05-03T10:00:00Z,${VALUE}\n`, MAP],
    ['a column of our own table', `${OWN},properties.${NAME}\n${OWN_ROW},${VALUE}\n`],
    ['a key of mapped JSON', toNdjson([{ ...ITEM, [NAME]: VALUE }]), MAP],
    ['a key within mapped JSON', toNdjson([{ ...ITEM, more: { [NAME]: [VALUE] } }]), MAP],
    ['a key beside a list', JSON.stringify({ data: [ITEM], [NAME]: VALUE }), ['--list', 'data', ...MAP]],
    ['a list beside a list', JSON.stringify({ [NAME]: [VALUE], data: [ITEM] }), ['--list', 'data', ...MAP]],
    ['a column of events of Umami', `${EVENTS},${NAME}\n${EVENT_ROW},${VALUE}\n`],
    ['the same in a zip', zipOf({ 'website_event.csv': `${EVENTS},${NAME}\n${EVENT_ROW},${VALUE}\n` })],
    [
      'a column of data of Umami',
      zipOf({ 'website_event.csv': events, 'event_data.csv': `${DATA},${NAME}\n${DATA_ROW},${VALUE}\n` }),
    ],
    ['a member of a zip of Umami', zipOf({ 'website_event.csv': events, [`${NAME}.csv`]: `a\n${VALUE}\n` })],
    ['a hidden member of a zip', zipOf({ 'a.json': toNdjson([ITEM]), [`.${NAME}`]: VALUE }), MAP],
    ['a column of W3C', `${W3C} ${NAME}\n2024-05-03 10:00:00 203.0.113.7 GET /a 200 ${VALUE}\n`],
    ['a directive of W3C', `${W3C}\n#Zz-unknown: x\n2024-05-03 10:00:00 203.0.113.7 GET /a 200\n`],
    ['words behind a line of a log', `${LOG} "${VALUE}"\n`],
    ['words before a line of a log', `${VALUE} | ${LOG}\n`],
    ['a field of a log of JSON', toNdjson([{ ...jsonLog, [NAME]: VALUE }])],
    ['a field with an address', toNdjson([{ ...jsonLog, [NAME]: `${VALUE} 198.51.100.7` }])],
  ])('is in the event or named as left out: %s', async (_, content, flags = []) => {
    const { isKept, named, imported, stderr } = await whereIsIt(content, flags);
    expect([imported, stderr]).toEqual([1, expect.any(String)]);
    expect(isKept || named !== undefined).toBe(true);
  });

  it('refuses a row with a cell that no column names, and a line of Snowplow with one more', async () => {
    const row = await whereIsIt(`event,user,at\na,u,2024-05-03T10:00:00Z,${VALUE}\n`, MAP);
    expect([row.imported, row.stderr]).toEqual([0, expect.stringContaining('its row has 4 cells')]);
    const line = textOf(SOURCES.snowplow!.fileOf(0, 1)).replace('\n', `\t${VALUE}\n`);
    const more = await whereIsIt(line, ['--from', 'snowplow']);
    expect([more.imported, more.stderr]).toEqual([0, expect.stringContaining('its line has 132 columns')]);
  });
});
