import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson } from '../ndjson.ts';

const place = createPlace();
const { file, tenant } = place;
beforeAll(() => place.ok(['tenant', 'create', 'empty']));
afterAll(() => place.remove());

const stored = async (alias: string) => fromNdjson(await place.ok(['export', alias])).reverse();
const own = (i: number) => ({
  ...{ eventName: 'sold', userId: 'ada', eventTs: `2024-05-03T10:00:0${i}Z`, insertId: `${i}` },
  properties: { items: [{ sku: `s-${i}` }], 'a"]}': '{[,' },
});
const foreign = (i: number) => ({
  ...{ kind: 'sold', actor: { email: `${i}@b.c` }, created: { timestamp: `2024-05-03T10:00:0${i}` } },
  lines: [{ sku: 1 }],
});

/** The flags that a refusal proposes. */
function flagsOf(stderr: string): string[] {
  const [, flags = ''] = /for instance (--.*)$/m.exec(stderr) ?? [];
  return [...flags.matchAll(/'([^']*)'|(\S+)/g)].map(([, inQuotes, bare]) => inQuotes ?? bare!);
}

describe('a list within an object', () => {
  it.each<[string, string, string]>([
    ['on one line', JSON.stringify({ events: [own(1), own(2)], next: null }), 'events'],
    ['pretty-printed', JSON.stringify({ ok: true, batch: [own(1), own(2)] }, null, 2), 'batch'],
    [
      'deep',
      JSON.stringify({ a: [[1, '}']], data: { 'x.y': { z: [1] }, list: [own(1), own(2)] } }),
      'data.list',
    ],
    ['of a key with dots', JSON.stringify({ data: { 'x.y': [own(1), own(2)] } }, null, 1), 'data.x.y'],
    [
      'of pages',
      `${JSON.stringify({ r: [own(1)] })}\n${JSON.stringify({ r: [] })}{"r":[${JSON.stringify(own(2))}]}`,
      'r',
    ],
    [
      'behind a byte order mark',
      `\ufeff\n{"\\u0065vents" :\n[\n${JSON.stringify(own(1))}\n,${JSON.stringify(own(2))}]}\r\n`,
      'events',
    ],
  ])('%s is read by --list, and proposed', async (name, content, path) => {
    const alias = await tenant(`list-${name.replaceAll(' ', '-')}`);
    const input = file(content);
    const bare = await place.run(['import', alias, input]);
    expect([bare.code, bare.stdout, flagsOf(bare.stderr)]).toEqual([2, '', ['--list', path]]);
    expect(await place.ok(['import', alias, input, '--list', path])).toMatch(/^imported 2, .* rejected 0\n/);
    expect(await stored(alias)).toMatchObject(
      [own(1), own(2)].map((event) => ({ ...event, eventTs: expect.any(String) as unknown })),
    );
  });

  it('of another format is read as that one is', async () => {
    const alias = await tenant('list-mixpanel');
    const results = [1, 2].map((i) => ({
      event: 'a',
      properties: { time: 1_700_000_000 + i, distinct_id: 'u' },
    }));
    const { stderr } = await place.run([
      'import',
      alias,
      '--list',
      'results',
      file(JSON.stringify({ results })),
    ]);
    expect(stderr).toContain('this is an export of Mixpanel');
    expect(await place.ok(['count', alias])).toBe('2\n');
  });

  it('leaves out what stands beside it, and says so', async () => {
    const alias = await tenant('list-beside');
    const content = JSON.stringify({
      data: { list: [own(1)], total: 5, more: [own(2)] },
      next: 'p2',
      none: null,
    });
    const { stderr } = await place.run(['import', alias, '--list', 'data.list', file(content)]);
    const beside = (key: string) => `left out: key ${key} beside the list (1)\n`;
    expect(stderr).toContain(beside('data.total') + beside('data.more') + beside('next'));
    expect(stderr).not.toContain('none');
  });

  it('that is cut stores what came before, and says that the file is cut', async () => {
    const alias = await tenant('list-cut');
    const content = JSON.stringify({ data: [own(1), own(2)] }, null, 1).slice(0, -20);
    const { code, stdout, stderr } = await place.run(['import', alias, '--list', 'data', file(content)]);
    expect([code, stdout]).toEqual([1, 'imported 1, duplicates 0, rejected 0\n']);
    expect(stderr).toContain('the JSON object ends too early: the file is cut');
  });

  it.each([
    ['{"data":[{}],"a":{"b":[]}}', 'a', '--list a: the file has no such list; it has data'],
    ['[{"a":1}]', 'a', '--list names a list within an object, and this is an array: leave it out'],
    ['a,b\n1,2\n', 'a', '--list names a list within an object of JSON, and this is none'],
  ])('%s has none at %s', async (content, path, message) => {
    const { code, stderr } = await place.run(['import', 'empty', '--list', path, file(content)]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('JSON of no known format', () => {
  const records = [1, 2, 3].map(foreign);
  it.each<[string, string]>([
    ['lines', records.map((record) => JSON.stringify(record)).join('\n')],
    ['array', JSON.stringify(records, null, 2)],
    ['list', JSON.stringify({ meta: { columns: [{ a: 1 }] }, data: records }, null, 2)],
    ['long-line', JSON.stringify({ data: records, filler: 'x'.repeat(2_000_000) })],
  ])('as %s is shown with flags that import it', async (name, content) => {
    const alias = await tenant(`foreign-${name}`);
    const input = file(content);
    const { code, stderr } = await place.run(['import', alias, input]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('"kind":"sold"')]);
    const flags = flagsOf(stderr).map((flag) => flag.replace('eventName=?', 'eventName=kind'));
    expect(flags.join(' ')).toContain('userId=actor.email,eventTs=created.timestamp --time-zone UTC');
    expect(await place.ok(['import', alias, input, ...flags])).toMatch(
      /^imported 3, duplicates 0, rejected 0/,
    );
    expect((await stored(alias))[0]).toMatchObject({ eventName: 'sold', userId: '1@b.c' });
  });
});

it('an object of which all keys became fields is no property, and others stay', async () => {
  const alias = await tenant('emptied');
  const record = {
    ...{ type: 'a', created: '2024-05-03T10:00:00Z', empty: {} },
    ...{ user: { deep: { id: 'u' } }, kept: { id: '7', plan: 'pro' } },
  };
  const map = 'eventName=type,userId=user.deep.id,eventTs=created,insertId=kept.id';
  await place.ok(['import', alias, file(JSON.stringify(record)), '--map', map]);
  const [event] = await stored(alias);
  expect(event).toMatchObject({ userId: 'u', insertId: '7' });
  expect(event).toHaveProperty('properties', { empty: {}, kept: { plan: 'pro' } });
});

describe('JSON that is not lines', () => {
  it.each([
    ['an event', JSON.stringify(own(1), null, 2)],
    ['several events', `${JSON.stringify(own(1), null, 2)}\n${JSON.stringify(own(2), null, '\t')}\n`],
    ['something else', '{\n}\n'],
  ])('is said to be %s over several lines, once', async (_, content) => {
    const { code, stderr } = await place.run(['import', 'empty', file(content)]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('this is a JSON object over several lines')]);
    expect(stderr).not.toMatch(/line \d/);
  });

  it('names commas at the ends of lines, and stores the others', async () => {
    const alias = await tenant('commas');
    const content = `${JSON.stringify(own(1))},\n${JSON.stringify(own(2))}\n`;
    const { stdout, stderr } = await place.run(['import', alias, file(content)]);
    expect([stdout, stderr]).toEqual([
      'imported 1, duplicates 0, rejected 1\n',
      expect.stringContaining('line 1: event: its line ends with a comma, and lines of JSON have none'),
    ]);
  });

  it('refuses a cut first line by itself', async () => {
    const alias = await tenant('cut-first');
    for (const cut of ['{"eventName":"a",', '{"eventName":', '{'])
      expect(
        (await place.run(['import', alias, file(`${cut}\n${JSON.stringify(own(1))}\n`)])).stdout,
      ).toMatch(/^imported [01], duplicates [01], rejected 1\n/);
    expect(await place.ok(['count', alias])).toBe('1\n');
  });

  it.each([
    ['a log', '[2024-05-03 10:00:00] "GET /"\n[2024-05-03 10:00:01] "GET /"\n'],
    ['another log', '[1714730400] started\n[INFO] ended\n'],
    ['a table', '[user],[time],[event]\nu,1700000000,a\n'],
  ])('%s of lines that begin with a bracket is no array', async (_, content) => {
    const { code, stderr } = await place.run(['import', 'empty', file(content)]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/this is no format|say which column/)]);
  });
});
