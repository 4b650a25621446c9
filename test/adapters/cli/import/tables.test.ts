import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
const { file, tenant } = place;
beforeAll(() => place.ok(['tenant', 'create', 'empty']));
afterAll(() => place.remove());

const stored = async (alias: string) => fromNdjson(await place.ok(['export', alias])).reverse();

const SHOP = [
  'order,customer,when,price,paid,tags,note',
  '1,ada,2024-07-03 10:00:00.5,64,yes,"[""a""]","ä ""x"", 5"',
  '2,bob,2024-07-03 11:00:00,0.5,no,,',
  '3,ada,2024-07-03 12:00:00,-1e3,true,{},05',
].join('\n');
const MAP = 'eventName="order_placed",userId=customer,eventTs=when,insertId=order,properties.info.note=note';
const TYPES = 'price=number,paid=boolean,tags=json';

describe('import of a table', () => {
  it('maps columns, reads types, and takes times of a zone', async () => {
    const alias = await tenant('shop');
    const flags = ['--map', MAP, '--types', TYPES, '--time-zone', 'Europe/Berlin'];
    const { code, stdout, stderr } = await place.run(['import', alias, file(SHOP), ...flags]);
    expect([code, stdout]).toEqual([0, 'imported 3, duplicates 0, rejected 0\n']);
    expect(stderr).toContain(
      'this is a table; its events are made of\n  eventName: "order_placed"\n  userId: customer\n',
    );
    const order = { eventName: 'order_placed', eventDate: '2024-07-03' };
    expect(await stored(alias)).toEqual([
      {
        ...{ ...order, userId: 'ada', eventTs: '2024-07-03T08:00:00.500Z', insertId: '1' },
        properties: { price: 64, paid: true, tags: ['a'], info: { note: 'ä "x", 5' } },
      },
      {
        ...{ ...order, userId: 'bob', eventTs: '2024-07-03T09:00:00.000Z', insertId: '2' },
        properties: { price: 0.5, paid: false },
      },
      {
        ...{ ...order, userId: 'ada', eventTs: '2024-07-03T10:00:00.000Z', insertId: '3' },
        properties: { price: -1000, paid: true, tags: {}, info: { note: '05' } },
      },
    ]);
    expect(await place.ok(['import', alias, file(SHOP), ...flags])).toMatch(/imported 0, duplicates 3/);
  });

  it.each([
    ['semicolons', ';'],
    ['tabs', '\t'],
    ['bars', '|'],
  ])(
    'with %s works too, with CRLF and a byte order mark; rows without ids are counted',
    async (name, delimiter) => {
      const alias = await tenant(`with-${name}`);
      const rows = [
        ['type', 'uid', 'ts', 'n'],
        ['a', 'u', '1700000000', '1'],
        ['a', 'u', '1700000000', '1'],
      ];
      const text = `\ufeff${rows.map((row) => row.join(delimiter)).join('\r\n')}\r\n`;
      const flags = ['--map', 'eventName=type,userId=uid', '--map', 'eventTs=ts'];
      const path = file(text);
      expect(await place.ok(['import', alias, path, ...flags])).toMatch(/^imported 2, /);
      const again = await place.ok(['import', alias, path, ...flags, '--types', 'n=number']);
      expect(again).toBe('imported 0, duplicates 2, rejected 0\n');
    },
  );

  const row = { type: 'a', uid: 'u', ts: 1_700_000_000 };
  it.each<[string, (plan: string, payload: object) => string]>([
    [
      'a table',
      (plan, payload) => {
        const cell = JSON.stringify(payload).replaceAll('"', '""');
        return `type,uid,ts,plan,payload\na,u,1700000000,${plan},"${cell}"\n`;
      },
    ],
    ['JSON', (plan, payload) => JSON.stringify({ ...row, plan, payload })],
    ['a text of JSON', (plan, payload) => JSON.stringify({ ...row, plan, payload: JSON.stringify(payload) })],
  ])(
    'takes an object within %s as the properties, and loses none of two of one name',
    async (name, textOf) => {
      const alias = await tenant(`payload-${name.replaceAll(' ', '-').toLowerCase()}`);
      const flags = ['--map', 'eventName=type,userId=uid,eventTs=ts,properties=payload'];
      const run = (plan: string, payload: object) =>
        place.run(['import', alias, file(textOf(plan, payload)), ...flags]);
      expect((await run('pro', { n: [1] })).stdout).toMatch(/^imported 1, /);
      expect(await stored(alias)).toMatchObject([{ properties: { plan: 'pro', n: [1] } }]);
      const both = await run('pro', { plan: 'free' });
      expect(both.stdout).toMatch(/^imported 0, duplicates 0, rejected 1\n/);
      expect(both.stderr).toContain('properties.plan: has two values in one row');
      expect((await run('pro', [5])).stdout).toMatch(/^imported 0, duplicates 0, rejected 1\n/);
    },
  );

  it('reads the words that tables have for true and false', async () => {
    const alias = await tenant('booleans');
    const words = ['true', 't', 'Yes', 'y', '1', 'FALSE', 'f', 'no', 'n', '0'];
    const rows = words.map((word, i) => `a,u,${1_700_000_000 + i},${word}`);
    const flags = ['--map', 'eventName=type,userId=uid,eventTs=ts', '--types', 'ok=boolean'];
    await place.ok(['import', alias, file(`type,uid,ts,ok\n${rows.join('\n')}\n`), ...flags]);
    const read = (await stored(alias)).map((event) => (event as { properties: object }).properties);
    expect(read).toEqual(words.map((_, i) => ({ ok: i < 5 })));
  });

  it('refuses an integer that a number would round, and proposes a text for it', async () => {
    const alias = await tenant('exact');
    const path = file('type,uid,ts,order\na,u,1700000000,12345678901234567890\na,u,1700000001,5\n');
    const flags = ['--map', 'eventName=type,userId=uid', '--map', 'eventTs=ts'];
    const { code, stderr } = await place.run(['import', alias, path, ...flags, '--types', 'order=number']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'order: takes no integer that would be rounded, as text it stays exact; got "12345678901234567890"',
    );
    expect((await place.run(['import', alias, path])).stderr).not.toContain('order=number');
  });

  it('without a mapping is shown with a proposal, and nothing is stored', async () => {
    const text =
      'id,User ID,created_at,event,amount,ok\n1,u,2024-05-01,a,5,true\n2,v,2024-05-02,b,6.5,false\n';
    const { code, stdout, stderr } = await place.run(['import', 'empty', file(text)]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('this is a table; it begins:\n  id,User ID,created_at,event,amount,ok\n  1,u,');
    expect(stderr).toContain(
      "--map 'eventName=event,userId=User ID,eventTs=created_at,insertId=id' --types amount=number,ok=",
    );
  });

  it('says which cell is wrong, and which zone is missing', async () => {
    const alias = await tenant('wrong');
    const flags = ['--map', MAP, '--types', 'price=boolean'];
    const { code, stderr } = await place.run(['import', alias, file(SHOP), ...flags]);
    expect(code).toBe(1);
    expect(stderr).toContain('line 2: eventTs: has no time zone: 2024-07-03 10:00:00.5; say --time-zone UTC');
    const zoned = await place.run(['import', alias, file(SHOP), ...flags, '--time-zone', 'UTC']);
    expect(zoned.stderr).toContain('line 2: price: takes true or false, got "64"');
  });

  it.each([
    [['--map', 'eventName=none,userId=customer,eventTs=when'], /--map: the file has no column "none"/],
    [['--map', MAP, '--types', 'none=number'], /--types: the file has no column "none"/],
    [['--map', MAP, '--types', 'price=money'], /--types takes text, number, boolean, json, got "money"/],
    [['--map', 'oops=price'], /unknown property path "oops"/],
    [['--map', 'userId'], /--map takes NAME=COLUMN/],
    [['--map', 'eventTs="now"'], /eventTs takes a column/],
    [['--types', 'price=number'], /--types goes with --map/],
  ])('%j is refused', async (flags, message) => {
    const { code, stderr } = await place.run(['import', 'empty', file(SHOP), ...flags]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
    expect(await place.ok(['count', 'empty'])).toBe('0\n');
  });
});

describe('a dry run', () => {
  it('shows the first events and what would be rejected, and stores nothing', async () => {
    const event = (i: number) => ({
      eventName: 'a',
      userId: 'u',
      eventTs: `2024-05-01T10:00:0${i}Z`,
      insertId: `${i}`,
    });
    const path = file(toNdjson([{ ...event(5), userId: '' }, ...[0, 1, 2, 3, 4].map(event)]));
    const { code, stdout, stderr } = await place.run(['import', 'empty', path, '--dry-run']);
    expect([code, stdout]).toEqual([1, 'would import 5, would reject 1; nothing is stored\n']);
    expect(stderr.match(/^would store \{"eventName":"a".*$/gm)).toHaveLength(3);
    expect(stderr).toContain('line 1: userId: takes a string of 1 to 256 characters, got 0');
    expect(JSON.parse((await place.run(['import', 'empty', path, '--dry-run', '--json'])).stdout)).toEqual({
      ...{ wouldImport: 5, duplicates: 0, rejected: 1 },
    });
    expect(await place.ok(['count', 'empty'])).toBe('0\n');
  });
});

describe('many refusals', () => {
  const bad = (count: number, more: object) =>
    Array.from({ length: count }, (_, i) => ({ eventName: 'a', userId: 'u', eventTs: 1e12 + i, ...more }));

  it('are counted by their reason, the most frequent first', async () => {
    const path = file(
      toNdjson([...bad(30, { userId: '' }), ...bad(50, { insertId: 'ö' }), ...bad(1, { typo: 1 })]),
    );
    const { stderr } = await place.run(['import', 'empty', path]);
    expect(stderr.split('\n').slice(-6)).toEqual([
      'and 61 more lines; --verbose reports them all',
      '50 times, first in line 31: insertId: takes 1 to 128 printable ASCII characters',
      '30 times, first in line 1: userId: takes a string of 1 to 256 characters',
      expect.stringMatching(/^1 times, first in line 81: "…": unknown key/),
      'event-query: 81 lines were rejected',
      '',
    ]);
  });

  it('end an import with --max-errors, which says how far it came', async () => {
    const alias = await tenant('max');
    const good = Array.from({ length: 5000 }, (_, i) => ({
      eventName: 'a',
      userId: 'u',
      eventTs: 1e12 + i,
      insertId: 'x',
    }));
    const path = file(toNdjson([...good.slice(0, 100), ...bad(5, { userId: '' }), ...good.slice(100)]));
    const { code, stdout, stderr } = await place.run(['import', alias, path, '--max-errors', '5']);
    expect([code, stdout]).toEqual([1, 'imported 1995, duplicates 0, rejected 5\n']);
    expect(stderr).toMatch(/--max-errors: so many were rejected; everything up to line 2000 is stored\n$/);
    expect(await place.ok(['import', alias, path, '--max-errors', '6'], {}).catch(String)).toMatch(
      /rejected/,
    );
    expect(await place.ok(['count', alias])).toBe('5000\n');
  });
});

describe('a row that names the columns and cannot be read', () => {
  const latin = (text: string) => Buffer.from(text, 'latin1');
  it.each<[string, Buffer, string[]]>([
    [
      'of a table',
      latin('event,user,time,prüf\na,u,1700000000,1\nb,u,1700000000,1\n'),
      ['--map', 'eventName=event'],
    ],
    ['of our own', latin('eventName,userId,eventTs,properties.prüf\na,u,1,1\nb,u,1,2\n'), []],
    ['with a quote', Buffer.from('"event"x,user,time\na,u,1700000000\n'), ['--map', 'eventName=event']],
  ])('%s refuses the file: no other row is taken for it', async (_, content, flags) => {
    const alias = `header-${content.length}`;
    await tenant(alias);
    const from = flags.length === 0 ? ['--from', 'event-query'] : flags;
    const { code, stderr } = await place.run(['import', alias, file(content), ...from]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/columns cannot be read|no column/)]);
    expect(await place.ok(['count', alias])).toBe('0\n');
  });
});
