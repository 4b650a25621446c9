import { afterAll, describe, expect, it } from 'vitest';
import { compileDateFormat } from '../../../../adapters/import/mappings/date-format.ts';
import { FLAG_WORDS } from '../../../../adapters/cli/options/table-options.ts';
import { createPlace } from '../command.ts';
import { fromNdjson, toNdjson } from '../ndjson.ts';

const place = createPlace();
const { file, tenant } = place;
afterAll(() => place.remove());

const stored = async (alias: string) => fromNdjson(await place.ok(['export', alias])).reverse();
const latin = (text: string) => Buffer.from(text, 'latin1');
const utf16 = (text: string) => Buffer.from(`\ufeff${text}`, 'utf16le');
/** `日時` and `購入` in Shift_JIS. */
const JAPANESE = Buffer.concat([
  ...[Buffer.from('user,event,'), Buffer.from([0x93, 0xfa, 0x8e, 0x9e])],
  ...[Buffer.from('\r\nada,'), Buffer.from([0x8d, 0x77, 0x93, 0xfc]), Buffer.from(',2024/05/03 10:15\r\n')],
]);

describe('a table as Excel writes it', () => {
  it.each<[string, Buffer, object[]]>([
    [
      'in German',
      latin(
        'sep=;\r\nDatum;Kunde;Aktion;Betrag\r\n' +
          '03.05.2024 10:15;ada;München;1.264,50\r\n13.05.2024;bob;x;7\r\n',
      ),
      [
        {
          eventName: 'München',
          userId: 'ada',
          eventTs: '2024-05-03T10:15:00.000Z',
          properties: { Betrag: 1264.5 },
        },
        { eventName: 'x', eventTs: '2024-05-13T00:00:00.000Z', properties: { Betrag: 7 } },
      ],
    ],
    [
      'in French',
      latin(
        'date;utilisateur;event;montant\r\n' +
          '03/05/2024 10:15;ada;reçu;1\u00a0264,50\r\n25/05/2024 11:00;bob;x;2,5\r\n',
      ),
      [
        { eventName: 'reçu', eventTs: '2024-05-03T10:15:00.000Z', properties: { montant: 1264.5 } },
        { eventTs: '2024-05-25T11:00:00.000Z', properties: { montant: 2.5 } },
      ],
    ],
    [
      'of the US',
      Buffer.from(
        '\ufeffdate,user,event,amount\r\n5/4/2024 12:05 AM,ada,buy,"1,264.50"\r\n5/24/2024 1:00 PM,b,c,2\r\n',
      ),
      [
        { eventTs: '2024-05-04T00:05:00.000Z', properties: { amount: 1264.5 } },
        { eventTs: '2024-05-24T13:00:00.000Z', properties: { amount: 2 } },
      ],
    ],
    ['in Japanese', JAPANESE, [{ eventName: '購入', userId: 'ada', eventTs: '2024-05-03T10:15:00.000Z' }]],
    [
      'with a day and a time of day',
      latin('Datum;Uhrzeit;Kunde;Aktion;Dauer\r\n03.05.2024;9:05;ada;ä;00:35\r\n13.05.2024;;bob;x;01:00\r\n'),
      [
        { eventTs: '2024-05-03T09:05:00.000Z', properties: { Dauer: '00:35' } },
        { eventTs: '2024-05-13T00:00:00.000Z', properties: { Dauer: '01:00' } },
      ],
    ],
    [
      'with an ISO day and a clock of the US',
      Buffer.from('time,date,user,event\n1:05 PM,2024-05-03,u,a\n11:59 am,2024-05-03,u,b\n'),
      [
        { eventName: 'b', eventTs: '2024-05-03T11:59:00.000Z' },
        { eventName: 'a', eventTs: '2024-05-03T13:05:00.000Z' },
      ],
    ],
    [
      'with a short hour',
      Buffer.from('event,user,at\na,u,2024-05-03 9:05\nb,u,2024-05-03 10:05\n'),
      [{ eventTs: '2024-05-03T09:05:00.000Z' }, { eventTs: '2024-05-03T10:05:00.000Z' }],
    ],
    [
      'with users who are known and others',
      Buffer.from(
        'event,user_id,anonymous_id,time\n' +
          'a,u,x,2024-05-03T10:00:00Z\nb,,x,2024-05-03T10:00:01Z\nc,,,2024-05-03T10:00:02Z\n',
      ),
      [
        { userId: 'u', properties: { anonymous_id: 'x' } },
        { userId: 'x', properties: {} },
        { userId: 'anonymous', properties: {} },
      ],
    ],
    [
      'as JSON with such users',
      Buffer.from(
        toNdjson([
          { action: 'a', user: { user_id: 'u' }, created: { date: '03.05.2024', clock: '10:15' } },
          { action: 'b', visitor_id: 'x', created: { date: '13.05.2024', clock: '10:15' } },
        ]),
      ),
      [
        { userId: 'u', eventTs: '2024-05-03T10:15:00.000Z' },
        { userId: 'x', eventTs: '2024-05-13T10:15:00.000Z' },
      ],
    ],
    [
      'with objects as the properties',
      Buffer.from(
        'name,distinct_id,time,payload,flag,source\n' +
          'played,u,2024-05-03T10:00:00Z,"{""title"": ""x""}","{""a"": 1}",web\n' +
          'played,u,2024-05-04T10:00:00Z,,,app\n',
      ),
      [{ properties: { title: 'x', flag: { a: 1 }, source: 'web' } }, { properties: { source: 'app' } }],
    ],
    [
      'with objects whose keys are columns too',
      Buffer.from('event,user,time,data,plan\na,u,2024-05-03T10:00:00Z,"{""plan"": ""x""}",pro\n'),
      [{ properties: { data: { plan: 'x' }, plan: 'pro' } }],
    ],
    ['as Unicode text', utf16('event\tuser\ttime\r\nä\tu\t2024-05-03 10:15\r\n'), [{ eventName: 'ä' }]],
  ])('%s is stored by the flags that are proposed for it', async (name, content, expected) => {
    const alias = await tenant(`excel-${name.replaceAll(' ', '-').toLowerCase()}`);
    const path = file(content);
    const { code, stderr } = await place.run(['import', alias, path]);
    expect(code).toBe(2);
    const proposal = /for instance (.*)/.exec(stderr)?.[1] ?? '';
    const flags = [...proposal.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
    expect(await place.ok(['import', alias, path, ...flags])).toBe(
      `imported ${expected.length}, duplicates 0, rejected 0\n`,
    );
    expect(await stored(alias)).toMatchObject(expected);
  });

  it('is stored but for a row without a time, whose cell says nothing of the others', async () => {
    const alias = await tenant('sum');
    const path = file('date;user;event\n03.05.2024;u;a\n25.05.2024;u;b\nSumme;2;\n');
    const { stderr } = await place.run(['import', alias, path]);
    expect(stderr).toContain('--date-format DD.MM.YYYY');
  });

  it('says that a date is ambiguous, and does not guess', async () => {
    const alias = await tenant('ambiguous');
    const path = file('date,user,event\n03/04/2024,u,a\n05/06/2024,u,b\n');
    const either = "'DD/MM/YYYY' or 'MM/DD/YYYY'";
    const { stderr } = await place.run(['import', alias, path]);
    expect(stderr).toContain(`such as 03/04/2024 are ambiguous: say --date-format ${either}`);
    expect(stderr).toContain('--date-format ?');
    const mapped = await place.run([
      'import',
      alias,
      path,
      '--map',
      'eventName=event,userId=user,eventTs=date',
    ]);
    expect(mapped.stdout).toBe('imported 0, duplicates 0, rejected 2\n');
    expect(mapped.stderr).toContain(
      `line 2: eventTs: is no time: "03/04/2024", which is ambiguous; say --date-format ${either}`,
    );
  });

  it('refuses a line that its encoding cannot read, and names what is packed otherwise', async () => {
    const alias = await tenant('unreadable');
    const path = file(
      Buffer.concat([
        Buffer.from('event,user,time\nok,u,2024-05-03T10:00:00Z\n'),
        Buffer.from([0x81, 0x20, 0x2c, 0x75, 0x0a]),
      ]),
    );
    const flags = ['--map', 'eventName=event,userId=user,eventTs=time', '--encoding', 'shift_jis'];
    const { stdout, stderr } = await place.run(['import', alias, path, ...flags]);
    expect([stdout, stderr]).toEqual([
      'imported 1, duplicates 0, rejected 1\n',
      expect.stringContaining('line 3: event: its line is not UTF-8, or not what --encoding says'),
    ]);
    const packed = await place.run(['import', alias, file(Buffer.from('BZh91AY&SY'))]);
    expect([packed.code, packed.stderr]).toEqual([2, expect.stringContaining('packed by bzip2; only gzip')]);
  });
});

describe('--date-format', () => {
  const read = (format: string, text: string) => {
    const { date, time, offset = '' } = compileDateFormat(format, FLAG_WORDS)(text) ?? {};
    return date === undefined ? undefined : `${date}T${time!}${offset}`;
  };

  it.each<[string, string, string | undefined]>([
    ['DD.MM.YYYY HH:mm', '3.5.2024 9:05', '2024-05-03T09:05:00'],
    ['DD.MM.YYYY HH:mm', '03.05.2024', undefined],
    ['DD.MM.YYYY[ HH:mm[:ss]]', '03.05.2024', '2024-05-03T00:00:00'],
    ['DD.MM.YYYY[ HH:mm[:ss]]', '03.05.2024 10:15:07', '2024-05-03T10:15:07'],
    ['MM/DD/YYYY h:mm A', '05/03/2024 12:00 am', '2024-05-03T00:00:00'],
    ['MM/DD/YYYY h:mm A', '05/03/2024 12:00 PM', '2024-05-03T12:00:00'],
    ['MM/DD/YYYY h:mm A', '05/03/2024 13:00 PM', undefined],
    ['YYYYMMDDHHmmss', '20240503101507', '2024-05-03T10:15:07'],
    ['YYYYMMDD', '2024053', undefined],
    ['D MMM YYYY', '3 May 2024', '2024-05-03T00:00:00'],
    ['D MMM YYYY', '3 Mai 2024', undefined],
    ['DD.MM.YY HH:mm:ss.SSS', '03.05.24 10:15:07.25', '2024-05-03T10:15:07.25'],
    ['YYYY-MM-DDTHH:mm Z', '2024-05-03T10:15 +0200', '2024-05-03T10:15:00+02:00'],
    ['YYYY年M月D日', '2024年5月3日', '2024-05-03T00:00:00'],
  ])('%s reads %j', (format, text, expected) => {
    expect(read(format, text)).toBe(expected);
  });

  it.each(['DD.MM', 'HH:mm', 'DD.MM.YYYY hh:mm', 'DD.MM.YYYY q', 'DD.DD.MM.YYYY', 'DD.MM.YYYY[', ''])(
    '%j is refused',
    (format) => {
      expect(() => compileDateFormat(format, FLAG_WORDS)).toThrow(/--date-format/);
    },
  );
});

describe('--map of JSON', () => {
  const record = {
    type: 'buy',
    user: { id: 42, plan: 'pro' },
    at: 1_714_730_400,
    total: '1.264,50',
    'a.b': 1,
  };
  it.each<[string, string]>([
    ['lines', toNdjson([record, { ...record, type: null }])],
    ['an array', JSON.stringify([record, { ...record, type: null }], null, 2)],
  ])('takes paths on %s, and keeps the rest as properties', async (name, content) => {
    const alias = await tenant(`json-${name.replace(' ', '-')}`);
    const flags = [
      '--map',
      'eventName=type,userId=user.id,eventTs=at,properties.n=a.b',
      '--types',
      'total=number',
    ];
    const { stdout, stderr } = await place.run(['import', alias, file(content), ...flags, '--decimal', ',']);
    expect(stdout).toBe('imported 1, duplicates 0, rejected 1\n');
    expect(stderr).toMatch(/(line|item) 2: eventName: is missing: the object has no type/);
    expect(await stored(alias)).toMatchObject([
      { eventName: 'buy', userId: '42', properties: { user: { plan: 'pro' }, total: 1264.5, n: 1 } },
    ]);
    const again = await place.run(['import', alias, file(content), ...flags.slice(0, 2)]);
    expect(again.stdout).toBe('imported 0, duplicates 1, rejected 1\n');
  });
});
