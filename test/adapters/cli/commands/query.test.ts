import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
afterAll(() => place.remove());

const events = [
  {
    eventName: 'signed_up',
    userId: 'ada',
    eventTs: '2024-05-01T10:00:00.000Z',
    insertId: 'e1',
    properties: { plan: 'pro' },
  },
  {
    eventName: 'signed_up',
    userId: 'bob',
    eventTs: '2024-05-02T10:00:00.000Z',
    insertId: 'e2',
    properties: { plan: 'free' },
  },
  {
    eventName: 'left',
    userId: 'ada',
    eventTs: '2024-05-03T10:00:00.000Z',
    insertId: 'e3',
    properties: { 'first name': 'A', n: 5 },
  },
  {
    eventName: 'evil\u001b[2J\tname',
    userId: 'x\u202ey',
    eventTs: '2024-05-04T10:00:00.000Z',
    insertId: 'e4',
    properties: { c: '\u009b1m' },
  },
];

beforeAll(async () => {
  await place.ok(['tenant', 'create', 'shop']);
  await place.import('shop', toNdjson(events));
});

const idsOf = (ndjson: string) => fromNdjson(ndjson).map((event) => (event as { insertId: string }).insertId);
const query = async (...flags: string[]) => idsOf(await place.ok(['query', 'shop', '--json', ...flags]));
const count = async (...flags: string[]) => Number(await place.ok(['count', 'shop', ...flags]));

describe('query', () => {
  it('prints the events of the spec as NDJSON, newest first', async () => {
    const printed = fromNdjson(await place.ok(['query', 'shop', '--json']));
    const expected = events
      .toReversed()
      .map((event) => ({ ...event, eventDate: event.eventTs.slice(0, 10) }));
    expect(printed).toEqual(expected);
  });

  it('selects by every flag', async () => {
    expect(await query('--event', 'signed_up')).toEqual(['e2', 'e1']);
    expect(await query('--after', '2024-05-02', '--before', '2024-05-03')).toEqual(['e3', 'e2']);
    const moment = '2024-05-02T12:00:00+02:00';
    expect([await count('--from', moment), await count('--until', moment)]).toEqual([3, 1]);
    expect(await query('--filter', 'properties.plan EQUALS "pro"')).toEqual(['e1']);
    expect(
      await query('--filter', 'properties.plan IN ["pro", "free"]', '--filter', 'userId NOT_EQUALS "ada"'),
    ).toEqual(['e2']);
    expect(await query('--filter', '"properties.first name" IS_NOT_NULL')).toEqual(['e3']);
    expect(
      await query('--filter', 'properties.plan IS_NULL null', '--filter', 'properties.n GREATER_THAN 4.5'),
    ).toEqual(['e3']);
  });

  it('pages by size, offset and cursor', async () => {
    const first = await place.run(['query', 'shop', '--json', '--size', '3']);
    expect(idsOf(first.stdout)).toEqual(['e4', 'e3', 'e2']);
    const cursor = /^next page: --cursor '([^']+)'\n$/.exec(first.stderr)?.[1] ?? '';
    const second = await place.run(['query', 'shop', '--json', '--size', '3', '--cursor', cursor]);
    expect([idsOf(second.stdout), second.stderr]).toEqual([['e1'], '']);
    expect(await query('--size', '2', '--offset', '3')).toEqual(['e1']);
    const other = await place.run(['query', 'shop', '--event', 'left', '--cursor', cursor]);
    expect([other.code, other.stderr]).toEqual([
      2,
      expect.stringMatching(/^event-query: --cursor: belongs to another query/),
    ]);
  });

  it('accepts a whole body from a file or stdin', async () => {
    const filterSet = [
      {
        anyOf: [
          { property: 'userId', comparison: 'EQUALS', value: 'bob' },
          { property: 'insertId', comparison: 'EQUALS', value: 'e3' },
        ],
      },
    ];
    const body = JSON.stringify({ filterSet, pagination: { size: 1, offset: 1 } });
    const file = join(place.folder, 'body.json');
    writeFileSync(file, body);
    expect(await query('--body', file)).toEqual(['e2']);
    // As many characters fit as the server takes bytes, but these have two bytes each.
    const long = JSON.stringify({ event: 'ü'.repeat(200_000) });
    expect(await place.run(['query', 'shop', '--body', '-'], { input: long })).toMatchObject({
      ...{ code: 2, stderr: 'event-query: --body: takes at most 262144 bytes\n' },
    });
    expect(idsOf(await place.ok(['query', 'shop', '--json', '--body', '-'], { input: body }))).toEqual([
      'e2',
    ]);
    expect(await place.ok(['count', 'shop', '--body', '-'], { input: JSON.stringify({ filterSet }) })).toBe(
      '2\n',
    );
    const cases = [
      [['count', 'shop', '--body', file], 2, /unknown key "pagination"/],
      [['query', 'shop', '--body', join(place.folder, 'none.json')], 1, /no such file/],
      [['query', 'shop', '--body', file, '--size', '3'], 2, /cannot be used with/],
    ] as const;
    for (const [args, code, message] of cases) {
      expect(await place.run(args)).toEqual({
        code,
        stdout: '',
        stderr: expect.stringMatching(message) as string,
      });
    }
    // A file that is not JSON may be secret, so it is not quoted.
    writeFileSync(file, 'root:x:0:0');
    const unreadable = await place.run(['query', 'shop', '--body', file]);
    expect([unreadable.code, unreadable.stderr]).toEqual([
      2,
      `event-query: --body: ${file} is not valid JSON\n`,
    ]);
  });

  it('prints tab-separated lines in a pipe, and never a control character of an event', async () => {
    const printed = await place.ok(['query', 'shop']);
    expect(printed.split('\n')[0]).toBe(
      '2024-05-04T10:00:00.000Z\tevil\\u001b[2J\\tname\tx\\u202ey\te4\t{"c":"\\u009b1m"}',
    );
    expect(printed).not.toMatch(/[\u001b\u0080-\u009f\u202e]/);
  });

  it('JSON is as stored in a pipe, and escaped with the same meaning on a terminal', async () => {
    for (const command of ['query', 'export']) {
      const raw = await place.ok([command, 'shop', ...(command === 'query' ? ['--json'] : [])]);
      const safe = await place.run([command, 'shop', '--json'], { terminal: true });
      expect(raw).toContain('\u009b1m');
      expect(safe.stdout).not.toMatch(/[\u007f-\u009f\u202e]/);
      expect(fromNdjson(safe.stdout)).toEqual(fromNdjson(raw));
    }
    const names = await place.run(['names', 'shop', '--json'], { terminal: true });
    expect(names.stdout).toBe('"evil\\u001b[2J\\tname"\n"left"\n"signed_up"\n');
  });
});

describe('count and names', () => {
  it('count prints a number', async () => {
    expect([
      await count(),
      await count('--event', 'signed_up'),
      await count('--after', '2024-05-03'),
    ]).toEqual([4, 2, 2]);
    expect(JSON.parse(await place.ok(['count', 'shop', '--json']))).toEqual({ count: 4 });
  });

  it('names prints the distinct names in order', async () => {
    expect(await place.ok(['names', 'shop'])).toBe('evil\\u001b[2J\\tname\nleft\nsigned_up\n');
    expect(fromNdjson(await place.ok(['names', 'shop', '--json']))).toEqual([
      'evil\u001b[2J\tname',
      'left',
      'signed_up',
    ]);
  });

  it('an unknown tenant is a failure', async () => {
    for (const command of ['query', 'count', 'names', 'export']) {
      const ending = await place.run([command, 'nobody']);
      expect(ending).toEqual({ code: 1, stdout: '', stderr: 'event-query: Tenant not found: "nobody"\n' });
    }
  });
});

describe('properties', () => {
  it('prints paths, types and examples, of one event name and of all', async () => {
    expect(await place.ok(['properties', 'shop', '--event', 'signed_up'])).toBe(
      'properties.plan\tstring 2\t"pro", "free"\n',
    );
    const { properties } = JSON.parse(await place.ok(['properties', 'shop', '--json'])) as {
      properties: { path: string }[];
    };
    expect(properties.map(({ path }) => path)).toEqual([
      'properties.c',
      'properties.first name',
      'properties.n',
      'properties.plan',
    ]);
  });
});

describe('breakdown', () => {
  const groups = async (...flags: string[]) => {
    const { stdout, stderr } = await place.run(['breakdown', 'shop', ...flags]);
    return [...stdout.trimEnd().split('\n'), stderr.trimEnd()];
  };

  it('prints groups by value as operands, and what is in no group', async () => {
    expect(await groups('--by', 'properties.plan')).toEqual([
      '"free"\t1',
      '"pro"\t1',
      '4 events; 2 without a value',
    ]);
    expect(await groups('--by', 'userId', '--distinct', 'eventName', '--size', '1')).toEqual([
      '"ada"\t2\t2',
      '4 events, 3 distinct; 1 of 3 groups are shown (--size)',
    ]);
  });

  it('prints every bucket of time, with bars on a terminal only', async () => {
    const flags = ['--by', 'day', '--after', '2024-05-03', '--before', '2024-05-05'];
    expect(await groups(...flags)).toEqual([
      '2024-05-03T00:00:00.000Z\t1',
      '2024-05-04T00:00:00.000Z\t1',
      '2024-05-05T00:00:00.000Z\t0',
      '2 events',
    ]);
    expect(await groups(...flags, '--time-zone', 'Pacific/Kiritimati')).toEqual([
      '2024-05-03T00:00:00.000+14:00\t1',
      '2024-05-04T00:00:00.000+14:00\t1',
      '2024-05-05T00:00:00.000+14:00\t1',
      '3 events',
    ]);
    const shown = await place.ok(['breakdown', 'shop', ...flags], { terminal: true });
    expect(shown.match(/█+/g)?.map(({ length }) => length)).toEqual([24, 24]);
    const asked = join(place.folder, 'groups.json');
    writeFileSync(asked, JSON.stringify({ by: 'day', after: '2024-05-03', before: '2024-05-05' }));
    expect(await place.ok(['breakdown', 'shop', '--body', asked], { terminal: true })).toBe(shown);
  });

  it('shows a bar for every group that is not empty', async () => {
    await place.ok(['tenant', 'create', 'uneven']);
    const at = (day: string, i: number) => ({ eventName: 'a', userId: `u${i}`, eventTs: `${day}T10:00:00Z` });
    const many = Array.from({ length: 99 }, (_, i) => at('2024-05-03', i));
    await place.import('uneven', toNdjson([...many, at('2024-05-05', 99)]));
    const shown = await place.ok(['breakdown', 'uneven', '--by', 'day'], { terminal: true });
    expect(
      shown
        .trimEnd()
        .split('\n')
        .slice(1)
        .map((line) => /█*$/.exec(line)![0].length),
    ).toEqual([24, 0, 1]);
  });

  it('prints figures of numbers, in groups and of all events', async () => {
    await place.ok(['tenant', 'create', 'till']);
    const sold = [12.5, 0.1, 0.2, 'none', 4e18].map((n, i) => ({
      ...{ eventName: 'sold', userId: 'u', eventTs: `2024-05-0${i + 1}T10:00:00Z` },
      properties: { 'to:tal': n, plan: i < 3 ? 'pro' : 'free' },
    }));
    await place.import('till', toNdjson(sold));
    const measure = async (...flags: string[]) => {
      const { stdout, stderr } = await place.run(['breakdown', 'till', ...flags]);
      return [...stdout.trimEnd().split('\n'), stderr.trimEnd()];
    };
    const flags = ['--measure', 'properties.to:tal: sum p50, max', '--measure', 'eventTs: min'];
    const first = '2024-05-01T10:00:00.000Z';
    expect(await measure(...flags)).toEqual([
      ['5', '4000000000000000000', '0.2', '4000000000000000000', first].join('\t'),
      '5 events; properties.to:tal: 4 numbers, 1 of other types',
    ]);
    expect(await measure('--by', 'properties.plan', ...flags)).toEqual([
      ['"pro"', '3', '12.8', '0.2', '12.5', first].join('\t'),
      [
        '"free"',
        '2',
        '4000000000000000000',
        '4000000000000000000',
        '4000000000000000000',
        '2024-05-04T10:00:00.000Z',
      ].join('\t'),
      '5 events; properties.to:tal: sum 4000000000000000000, p50 0.2, max 4000000000000000000, 4 numbers, ' +
        `1 of other types; eventTs: min ${first}`,
    ]);
    const shown = ['--by', 'properties.plan', '--event', 'sold', '--before', '2024-05-03'];
    const table = await place.ok(['breakdown', 'till', ...shown, '--measure', 'properties.to:tal: sum p0'], {
      terminal: true,
    });
    expect(table.split('\n').slice(0, 2)).toEqual(['VALUE  EVENTS   SUM   P0', '"pro"  3       12.8  0.1']);
    expect((await place.run(['breakdown', 'till', '--measure', 'properties.n: median'])).stderr).toMatch(
      /^event-query: --measure: takes sum, avg, min, max/,
    );
    expect((await place.run(['breakdown', 'till', '--measure', 'properties.n'])).stderr).toMatch(
      /takes a path and figures, as in 'properties.total: sum p95'/,
    );
  });

  it('prints CSV, in which a text that reads as a number is quoted and nothing is calculated', async () => {
    await place.ok(['tenant', 'create', 'stall']);
    const plans = ['5', 5, '=1+1', '', null, 'a,b'];
    const sold = plans.map((plan, i) => ({
      ...{ eventName: 'sold', userId: `u${i % 2}`, eventTs: `2024-05-0${1 + (i % 2)}T10:00:00Z` },
      properties: { plan, n: i / 8 },
    }));
    await place.import('stall', toNdjson(sold));
    const csv = (...flags: string[]) => place.ok(['breakdown', 'stall', ...flags, '--csv']);
    const measure = ['--measure', 'properties.n: sum max'];
    expect((await csv('--by', 'properties.plan', '--distinct', 'userId', ...measure)).split('\r\n')).toEqual([
      'properties.plan,events,distinct userId,sum properties.n,max properties.n',
      '5,1,1,0.125,0.125',
      '"",1,1,0.375,0.375',
      '"5",1,1,0,0',
      "'=1+1,1,1,0.25,0.25",
      '"a,b",1,1,0.625,0.625',
      '',
    ]);
    const [first, second] = ['2024-05-01T00:00:00.000Z', '2024-05-02T00:00:00.000Z'];
    expect((await csv('--by', 'eventName', '--by', 'day', '--size', '1x1', '--rest')).split('\r\n')).toEqual([
      'eventName,day,events',
      `sold,${first},3`,
      'sold,,3',
      `,${first},0`,
      ',,0',
      '',
    ]);
    const crossed = await csv('--by', 'day', '--by', 'properties.plan', '--before', '2024-05-01');
    expect(crossed.split('\r\n').slice(1)).toEqual([`${first},"5",1`, `${first},'=1+1,1`, '']);
    expect(await csv('--event', 'none', ...measure)).toBe(
      'events,sum properties.n,max properties.n\r\n0,0,\r\n',
    );
    expect(await csv('--by', 'day')).toBe(`day,events\r\n${first},3\r\n${second},3\r\n`);
    expect((await place.run(['breakdown', 'stall', '--csv', '--json'])).stderr).toContain('--json');
  });

  it('prints a table of two dimensions on a terminal, and a line for each cell elsewhere', async () => {
    await place.ok(['tenant', 'create', 'kiosk']);
    const sold = [
      ['pro', 1, 7],
      ['pro', 2, 0.5],
      ['free', 2, 12],
      ['free', 2, 8],
      ['team', 3, 1],
      [null, 1, 'x'],
    ].map(([plan, day, n]) => ({
      ...{ eventName: 'sold', userId: 'u', eventTs: `2024-05-0${day}T10:00:00Z` },
      properties: { plan, n },
    }));
    await place.import('kiosk', toNdjson(sold));
    const flags = ['kiosk', '--by', 'properties.plan', '--by', 'day', '--size', '2x2'];
    const ask = async (...more: string[]) => {
      const { stdout, stderr } = await place.run(['breakdown', ...flags, ...more]);
      return [...stdout.trimEnd().split('\n'), stderr.trimEnd()];
    };
    const [first, second] = ['2024-05-01T00:00:00.000Z', '2024-05-02T00:00:00.000Z'];
    const note =
      '6 events; 1 without a value; 2 of 3 groups are shown (--size); ' + '2 of 3 columns are shown (--size)';
    expect(await ask()).toEqual([
      `"free"\t${first}\t0`,
      `"free"\t${second}\t2`,
      `"pro"\t${first}\t1`,
      `"pro"\t${second}\t1`,
      note,
    ]);
    expect((await ask('--rest')).slice(6, 9)).toEqual([
      `(rest)\t${first}\t1`,
      `(rest)\t${second}\t0`,
      '(rest)\t(rest)\t1',
    ]);
    const measure = ['--measure', 'properties.n: max sum'];
    const ordered = [...measure, '--order-by', 'properties.n: max', '--rest'];
    const shown = await place.ok(['breakdown', ...flags, ...ordered], { terminal: true });
    expect(shown.split('\n')).toEqual([
      'VALUE   ALL  2024-05-01  2024-05-02  (rest)',
      '"free"   12                      12',
      '"pro"     7           7         0.5',
      '(rest)    1                               1',
      '',
    ]);
    // Each cell has one user, however many events.
    const users = await place.ok(['breakdown', ...flags, '--distinct', 'userId'], { terminal: true });
    expect(users.split('\n').slice(1)).toEqual([
      '"free"    1           0           1',
      '"pro"     1           1           1',
      '',
    ]);
    // The figure may be of the second of two measures of one path.
    const apart = ['--measure', 'properties.n: min', '--measure', 'properties.n: sum'];
    expect((await ask(...apart, '--order-by', 'properties.n: sum'))[0]).toBe(`"free"\t${first}\t0\t\t0`);
    expect((await ask('--order-by', 'properties.n: sum')).at(-1)).toBe(
      'event-query: --order-by: takes one figure that is measured; add --measure "properties.n: sum"',
    );
    expect((await ask('--by', 'userId')).at(-1)).toBe('event-query: --by: takes one dimension or two, got 3');
  });

  it('prints what the API answers, and names a wrong flag', async () => {
    expect(JSON.parse(await place.ok(['breakdown', 'shop', '--by', 'month', '--json']))).toEqual({
      ...{ total: 4, missing: 0, arrays: 0, objects: 0, groupsTotal: 1 },
      groups: [{ key: '2024-05-01T00:00:00.000Z', count: 4 }],
    });
    for (const [flag, value] of [
      ['by', 'plan'],
      ['distinct', 'plan'],
      ['size', '0'],
    ] as const) {
      const { code, stderr } = await place.run(['breakdown', 'shop', '--by', 'day', `--${flag}`, value]);
      expect([code, stderr]).toEqual([2, expect.stringMatching(new RegExp(`^event-query: --${flag}: `))]);
    }
    expect((await place.run(['breakdown', 'shop'])).stderr).toMatch(
      /^event-query: --by: takes a property path/,
    );
  });
});

describe('--explain', () => {
  it('prints what was understood, what may be meant, and how it will be answered', async () => {
    const flags = ['--event', 'order_placed', '--filter', 'properties.plam EQUALS "pro"', '--size', '5'];
    const lines = (await place.ok(['query', 'shop', ...flags, '--explain'])).split('\n');
    expect(lines.slice(0, 6)).toEqual([
      'question\tquery',
      'filter\teventName = "order_placed"',
      'filter\tproperties.plam = "pro"',
      'page\t{"offset":0,"size":5}',
      'unknown path\tproperties.plam; perhaps properties.plan',
      'answered by\tcolumns',
    ]);
    const column = /^from\tthe column of properties.plam \(filter\): \d+ of \d+ events read$/;
    expect(lines.slice(6)).toContainEqual(expect.stringMatching(column));
    const json = JSON.parse(await place.ok(['query', 'shop', ...flags, '--explain', '--json'])) as object;
    expect(json).toMatchObject({ more: false, unknownPaths: [{ path: 'properties.plam' }] });
    const day = ['--after', '2024-05-02', '--time-zone', 'Europe/Berlin'];
    expect((await place.ok(['count', 'shop', ...day, '--explain'])).split('\n')).toEqual(
      expect.arrayContaining([
        'filter\teventTs >= "2024-05-01T22:00:00.000Z"',
        `time zone\tEurope/Berlin, by the data of ${process.versions.tz}`,
      ]),
    );
    expect((await place.run(['query', 'shop', '--size', '2000', '--explain'])).code).toBe(2);
  });

  it.each([
    ['count', [], ['answered by\tcolumns']],
    [
      'breakdown',
      ['--by', 'userId', '--by', 'day'],
      ['by\t["userId","day"]', 'at most\t20 groups, 500 columns, 10000 cells'],
    ],
    [
      'breakdown',
      ['--by', 'day', '--after', '2024-05-01', '--before', '2024-05-02'],
      ['pieces of time\t2', 'at most\t2 groups'],
    ],
    [
      'sequence',
      ['--step', 'order_placed', '--step', '*'],
      ['step 1\teventName = "order_placed"', 'step 2\t*'],
    ],
    ['users', ['--did', 'order_placed>=2'], ['distinct\tuserId', 'at most\t100 users']],
    ['retention', ['--start', '*', '--return', '*'], ['unit\tweek', 'at most\t2000 cohorts, 8 periods']],
    ['compare', ['--select-event', 'order_placed'], ['at most\t20 rows']],
    ['top', ['--of', 'properties.total'], ['of\tproperties.total', 'at most\t100 events']],
    ['tail', [], ['question\ttail']],
    ['export', ['--event', 'order_placed'], ['filter\teventName = "order_placed"']],
  ])('explains a %s %j', async (command, flags, expected) => {
    const lines = (await place.ok([command, 'shop', ...flags, '--explain'])).split('\n');
    expect(lines).toEqual(expect.arrayContaining([`question\t${command}`, ...expected]));
  });
});

it('a whole number is printed in its digits by each command that prints values', async () => {
  const digits = '4000000000000000000';
  await place.ok(['tenant', 'create', 'digits']);
  await place.ok(['send', 'digits', '--event', 'a', '--property', `n:=${digits}`]);
  for (const [command, ...flags] of [
    ...[['query'], ['query', '--json'], ['export'], ['export', '--format', 'csv'], ['properties']],
    ...[
      ['properties', '--json'],
      ['breakdown', '--by', 'properties.n'],
    ],
    ['count', '--explain', '--filter', `properties.n = ${digits}`],
    ['count', '--explain', '--filter', `properties.n in (${digits}, 1)`],
  ])
    expect(await place.ok([command!, 'digits', ...flags]), `${command} ${flags.join(' ')}`).toContain(digits);
  const { stderr } = await place.run(['count', 'digits', '--filter', 'properties.n = "1"']);
  expect(stderr).toContain(`holds numbers (${digits}), never a string`);
});

describe('top', () => {
  beforeAll(async () => {
    await place.ok(['tenant', 'create', 'sales']);
    const totals = [12, 64, '99', 64, -3];
    const sold = totals.map((total, i) => ({
      ...{ eventName: 'sold', userId: 'ada', eventTs: `2024-05-0${i + 1}T10:00:00.000Z`, insertId: `s${i}` },
      properties: { total, text: 'a' },
    }));
    await place.import('sales', toNdjson(sold));
  });
  const top = async (...flags: string[]) =>
    idsOf(await place.ok(['top', 'sales', '--json', '--of', 'properties.total', ...flags]));

  it('prints the events with the largest or the smallest numbers as a query prints events', async () => {
    expect(await top()).toEqual(['s3', 's1', 's0', 's4']);
    expect(await top('--smallest', '--size', '2')).toEqual(['s4', 's0']);
    expect(await top('--after', '2024-05-02', '--filter', 'properties.total > 0')).toEqual(['s3', 's1']);
    const printed = await place.ok(['top', 'sales', '--of', 'properties.total', '--size', '1']);
    const queried = await place.ok(['query', 'sales', '--filter', 'insertId = "s3"']);
    expect(printed).toBe(queried);
  });

  it('takes a whole body', async () => {
    const body = JSON.stringify({ of: 'properties.total', order: 'smallest', size: 1 });
    expect(idsOf(await place.ok(['top', 'sales', '--json', '--body', '-'], { input: body }))).toEqual(['s4']);
    const both = await place.run(['top', 'sales', '--body', '-', '--smallest'], { input: body });
    expect([both.code, both.stderr]).toEqual([2, expect.stringContaining('cannot be used with')]);
  });

  it('says which flag is wrong, and why there is nothing', async () => {
    const told = async (...flags: string[]) => {
      const { code, stderr } = await place.run(['top', 'sales', ...flags]);
      return [code, stderr];
    };
    expect(await told()).toEqual([
      2,
      expect.stringContaining('--of: takes a path below properties, got nothing'),
    ]);
    expect(await told('--of', 'total')).toEqual([
      2,
      expect.stringContaining('did you mean "properties.total"?'),
    ]);
    const size = expect.stringContaining('--size: takes a whole number from 1 to 1000') as unknown;
    expect(await told('--of', 'properties.total', '--size', '1001')).toEqual([2, size]);
    const near = 'no event has properties.totl; did you mean properties.total?\n';
    expect(await told('--of', 'properties.totl')).toEqual([0, near]);
    const texts = expect.stringContaining('properties.text holds strings ("a"), never a number') as unknown;
    expect(await told('--of', 'properties.text')).toEqual([0, texts]);
  });
});
