import { afterAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson } from '../ndjson.ts';

const place = createPlace();
const { file, tenant } = place;
afterAll(() => place.remove());

let count = 0;
const rows = [
  { kind: 'view', day: '2024-06-04', clock: '08:15:30', account: 'ada', visitor: 'v1', tier: 'pro' },
  { kind: 'view', day: '2024-06-04', clock: '08:15:31', account: '', visitor: 'v2', tier: '' },
  { kind: 'view', day: '2024-06-04', clock: '08:15:32', account: '', visitor: '', tier: '' },
];
const csv = [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row))].map(String).join('\n');
const json = rows.map((row) => JSON.stringify({ ...row, at: { day: row.day, clock: row.clock } })).join('\n');

async function imported(text: string, ...flags: string[]) {
  count += 1;
  const alias = await tenant(`several-${count}`);
  const ending = await place.run(['import', alias, file(text), '--time-zone', 'UTC', ...flags]);
  const events = fromNdjson(await place.ok(['export', alias])) as {
    userId: string;
    eventTs: string;
    properties: object;
  }[];
  return { ...ending, events: events.reverse() };
}

const USERS = ',userId=account,userId=visitor,userId="anonymous"';

describe('--map with several sources', () => {
  it.each([
    ['CSV', csv, 'day+clock'],
    ['JSON', json, 'at.day+at.clock'],
  ])('%s: joins two columns, and takes the first that holds a value', async (_name, text, time) => {
    const map = `eventName=kind,eventTs=${time}${USERS},properties.plan=tier,properties.plan="free"`;
    const { stdout, events } = await imported(text, '--map', map);
    expect(stdout).toBe('imported 3, duplicates 0, rejected 0\n');
    expect(events.map(({ userId }) => userId)).toEqual(['ada', 'v2', 'anonymous']);
    expect(events.map(({ eventTs }) => eventTs)).toEqual(
      [30, 31, 32].map((s) => `2024-06-04T08:15:${s}.000Z`),
    );
    // What was not taken for the user stays.
    expect(events[0]!.properties).toMatchObject({ visitor: 'v1', plan: 'pro' });
    expect(events[1]!.properties).toMatchObject({ plan: 'free' });
  });

  it('takes a column for two parts of an event, and a name with a plus as it is', async () => {
    const text = 'kind,a+b,user\nview,2024-06-04 08:15:30,ada\n';
    const map = 'eventName=kind,eventTs=a+b,userId=user,properties.who=user';
    const { events } = await imported(text, '--map', map);
    expect(events[0]).toMatchObject({ userId: 'ada', properties: { who: 'ada' } });
  });

  it('guesses no time of day where a part of it is empty', async () => {
    const text = 'kind,day,clock,user\nview,2024-06-04,,ada\n';
    const map = 'eventName=kind,eventTs=day+clock,userId=user';
    expect((await imported(text, '--map', map)).stdout).toContain('rejected 1');
    const { events } = await imported(text, '--map', `${map},eventTs=day`);
    expect(events[0]!.eventTs).toBe('2024-06-04T00:00:00.000Z');
  });

  it('says which column is none', async () => {
    const { stderr } = await imported(csv, '--map', 'eventName=kind,eventTs=day+hour,userId=account');
    expect(stderr).toContain('the file has no column "hour"');
  });
});
