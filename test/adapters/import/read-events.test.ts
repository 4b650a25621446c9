import { mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { parquetWriteBuffer } from 'hyparquet-writer';
import { afterAll, describe, expect, it } from 'vitest';
import {
  createLeftOut,
  ImportError,
  readEvents,
  toBatches,
  type ImportedEvent,
  type ImportOptions,
  type ImportSource,
} from '../../../adapters/import/index.ts';
import { createEngine, isApiError } from '../../../src/index.ts';
import { memoryEventStore } from '../../../adapters/memory/index.ts';
import { nodeResources } from '../../../adapters/node-http/index.ts';
import { toNdjson } from '../cli/ndjson.ts';
import { gather } from './gathered.ts';
import { SOURCES, toCsv, uuid } from './sources.ts';
import { zipOf } from './zip-of.ts';

const folder = mkdtempSync(join(tmpdir(), 'event-query-import-'));
afterAll(() => rmSync(folder, { recursive: true }));
let files = 0;
function file(content: string | Buffer): string {
  const path = join(folder, `file-${(files += 1)}`);
  writeFileSync(path, content);
  return path;
}

const events = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ eventName: 'a', userId: 'u', eventTs: 1_700_000_000_000 + i }));
const idsOf = (read: readonly ImportedEvent[]) =>
  read.map(({ event }) => (isApiError(event) ? event.message : event.insertId));

describe('readEvents', () => {
  it.each(Object.keys(SOURCES))('%s: makes events that an engine takes, each once', async (tool) => {
    const resources = nodeResources();
    const engine = createEngine({ events: memoryEventStore({ resources }), resources });
    const path = file(SOURCES[tool]!.fileOf(0, 25));
    for (const accepted of [25, 0]) {
      let stored = 0;
      for await (const batch of toBatches(readEvents(path))) {
        const report = await engine.tenant(tool).append(batch.map(({ event }) => event));
        expect(report.rejected).toEqual([]);
        stored += report.accepted;
      }
      expect(stored).toBe(accepted);
    }
    expect(await engine.tenant(tool).count({})).toBe(25);
  });

  it('reads the same from a path, from an address, from bytes and from pieces of them', async () => {
    const content = Buffer.from(toNdjson(events(100)));
    const path = file(content);
    async function* web() {
      for (let at = 0; at < content.length; at += 700)
        yield await Promise.resolve(new Uint8Array(content.subarray(at, at + 700)));
    }
    const sources: ImportSource[] = [
      ...[path, pathToFileURL(path), content, new Uint8Array(content), [content], web()],
      ...[Readable.from([content.subarray(0, 99), content.subarray(99)]), new Blob([content]).stream()],
    ];
    const expected = await gather(readEvents(path));
    expect(new Set(idsOf(expected)).size).toBe(100);
    for (const source of sources) expect(await gather(readEvents(source))).toEqual(expected);
    expect(await gather(readEvents(gzipSync(content)))).toEqual(expected);
  });

  it('says where each event stands, and refuses a record by itself', async () => {
    const lines = `${toNdjson(events(1))}\n{\n${toNdjson(events(1))}`;
    const zip = zipOf({ 'a.ndjson': lines, 'b.json': JSON.stringify(events(2)) });
    const read = await gather(readEvents(file(zip)));
    expect(read.map(({ unit, number, member, event }) => [member, unit, number, isApiError(event)])).toEqual([
      ['a.ndjson', 'line', 1, false],
      ['a.ndjson', 'line', 3, true],
      ['a.ndjson', 'line', 4, false],
      ['b.json', 'item', 1, false],
      ['b.json', 'item', 2, false],
    ]);
    // Numbers of equal events begin anew in each file.
    expect(idsOf(read)[2]).toMatch(/-2$/);
    expect(idsOf(read)[3]).toMatch(/-1$/);
  });

  it('counts and names what is in no event', async () => {
    const zip = zipOf({ 'website_event.csv': umamiTable(3), 'session_data.csv': 'a\n1\n' });
    const reading = readEvents(file(zip));
    expect(reading.leftOut()).toEqual([]);
    await gather(reading);
    expect(reading.leftOut()).toEqual([{ what: 'file session_data.csv of the zip', count: 1 }]);
    const together = createLeftOut();
    for (const { what, count } of [...reading.leftOut(), ...reading.leftOut()]) together.add(what, count);
    expect(together.kinds()).toEqual([{ what: 'file session_data.csv of the zip', count: 2 }]);
  });

  it('tells what was found, and how much of the file was read', async () => {
    const path = file(SOURCES.posthog!.fileOf(0, 3));
    const [notes, sizes] = [new Array<string>(), new Array<number>()];
    await gather(
      readEvents(path, { onNote: (text) => notes.push(text), onBytes: (size) => sizes.push(size) }),
    );
    expect(notes[0]).toMatch(/^this is an export of PostHog; its events are made of\n/);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(SOURCES.posthog!.fileOf(0, 3).length);
  });
});

const umamiTable = (count: number) =>
  toCsv(
    Array.from({ length: count }, (_, i) => ({
      ...{ event_id: uuid(i), website_id: uuid(1), session_id: uuid(2) },
      ...{ created_at: '2024-05-03 10:00:00', event_name: 'bought' },
    })),
  );

describe('a file that is read no further', () => {
  const column = (name: string, value: string) => ({ name, data: Array<string>(9).fill(value) });
  const parquet = parquetWriteBuffer({
    columnData: [column('eventName', 'a'), column('userId', 'u'), column('eventTs', '2024-05-03T10:00:00Z')],
  });
  const many = toNdjson(events(50_000));
  const FILES: Record<string, string | Buffer> = {
    lines: many,
    gzip: gzipSync(many),
    zip: zipOf({ 'a.ndjson': many, 'b.ndjson': many }),
    Umami: zipOf({ 'website_event.csv': umamiTable(20_000), 'event_data.csv': 'a\n' }),
    'Umami without its data': zipOf({ 'website_event.csv': umamiTable(20_000) }),
    Parquet: Buffer.from(parquet),
    'a format that nothing knows': '\u0001\u0002\n'.repeat(50_000),
    'a zip of them': zipOf({ x: '\u0001\u0002\n'.repeat(50_000) }),
  };

  it.each(Object.entries(FILES))('is closed: %s', async (_, content) => {
    const path = file(content);
    let read = 0;
    try {
      for await (const { event } of readEvents(path)) {
        expect(event).toBeDefined();
        read += 1;
        if (read === 2) break;
      }
    } catch (error) {
      expect(error).toBeInstanceOf(ImportError);
    }
    await expect.poll(() => openFiles().filter((each) => each === path)).toEqual([]);
  });

  it('is closed if a caller gave a stream', async () => {
    const stream = Readable.from(Array.from({ length: 500 }, () => Buffer.from(many.slice(0, 700))));
    for await (const { event } of readEvents(stream)) if (isApiError(event) || event.userId === 'u') break;
    await expect.poll(() => stream.destroyed).toBe(true);
  });

  it.each(['lines', 'gzip', 'zip', 'Umami without its data', 'Parquet'])(
    'ends with the reason of a signal: %s',
    async (name) => {
      const abort = new AbortController();
      const reading = async () => {
        for await (const { number } of readEvents(file(FILES[name]!), { signal: abort.signal }))
          if (number >= 2) abort.abort(new Error('enough'));
      };
      await expect(reading()).rejects.toThrow('enough');
    },
  );

  it('ends with the reason of a signal while a stream waits for bytes', async () => {
    const abort = new AbortController();
    const stream = new Readable({ read: () => setImmediate(() => abort.abort(new Error('enough'))) });
    await expect(gather(readEvents(stream, { signal: abort.signal }))).rejects.toThrow('enough');
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
  ])('hears a signal within what unpacks to nothing but blanks: %s', async (name, content) => {
    const abort = new AbortController();
    const isTable = name === 'a table' || name === 'a cell';
    const options = { signal: abort.signal, ...(isTable && { map: { eventName: 'event' } }) };
    let turns = 0;
    const count = () => {
      turns += 1;
      if (turns === 3) abort.abort(new Error('interrupted'));
      else setImmediate(count);
    };
    setImmediate(count);
    await expect(gather(readEvents(file(content), options))).rejects.toThrow('interrupted');
    expect(turns).toBe(3);
  });
});

/** The files that this process has open. */
function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((name) => {
    try {
      return [readlinkSync(`/proc/self/fd/${name}`)];
    } catch {
      return [];
    }
  });
}

describe('what cannot be read', () => {
  const failing = async (source: ImportSource, options?: ImportOptions): Promise<ImportError> => {
    const error = await gather(readEvents(source, options)).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ImportError);
    return error as ImportError;
  };

  it.each<[string, string, object]>([
    [
      'a table with days, times of day and numbers',
      'event;user;datum;uhrzeit;preis\na;;31.05.2024;10:15;1,5\nb;u;30.05.2024;10:16;2,5\n',
      {
        map: {
          ...{ eventName: 'event', userId: ['user', { constant: 'anonymous' }], eventTs: 'datum+uhrzeit' },
        },
        ...{ types: { preis: 'number' }, decimal: ',', dateFormat: 'DD.MM.YYYY HH:mm', timeZone: 'UTC' },
      },
    ],
    [
      'JSON of no known format',
      '{"action": "a", "user": {"email": "u"}, "date": "2024-05-03T10:00:00Z"}\n',
      { map: { eventName: 'action', userId: 'user.email', eventTs: 'date' } },
    ],
    [
      'a list within an object',
      '{"data": [{"action": "a", "uid": "u", "date": "2024-05-03T10:00:00Z"}]}',
      { list: 'data', map: { eventName: 'action', userId: 'uid', eventTs: 'date' } },
    ],
    ['events within an object', JSON.stringify({ data: events(2) }), { list: 'data' }],
  ])('has a proposal with which it can: %s', async (_, content, expected) => {
    const { fault, proposal } = await failing(Buffer.from(content));
    expect([fault, proposal]).toEqual(['options', expected]);
    const read = await gather(readEvents(Buffer.from(content), proposal));
    expect(read.map(({ event }) => isApiError(event))).toEqual([false, ...read.slice(1).map(() => false)]);
  });

  it('shows how a table begins in the encoding that it proposes', async () => {
    const notes: string[] = [];
    const content = Buffer.from('event;user;time;price \x80\na;b;2024-05-03T10:00:00Z;5\n', 'latin1');
    const reading = gather(readEvents(content, { onNote: (text) => notes.push(text) }));
    await expect(reading).rejects.toMatchObject({ proposal: { encoding: 'windows-1252' } });
    expect(notes.join('\n')).toContain('event;user;time;price €');
  });

  it('has a question mark in its proposal for what it does not say', async () => {
    const { proposal } = await failing(Buffer.from('what;who;when\na;b;2024-05-03T10:00:00Z\n'));
    expect(proposal?.map).toEqual({ eventName: '?', userId: '?', eventTs: 'when' });
  });

  it.each([
    ['gzip that is cut', gzipSync(toNdjson(events(5000))).subarray(0, 2000)],
    ['an array without an end', '[{"eventName":"a"},'],
    ['a zip that is cut', zipOf({ 'a.ndjson': toNdjson(events(9)) }).subarray(0, 99)],
  ])('is at fault itself: %s', async (_, content) => {
    expect((await failing(file(content))).fault).toBe('file');
  });

  it('is named where it is a file of a zip', async () => {
    const zip = zipOf({ 'a.ndjson': toNdjson(events(3)), 'b.json': '[{"eventName":"a"},' });
    const { member, message } = await failing(file(zip));
    expect([member, message]).toEqual([
      'b.json',
      expect.stringMatching(/^b\.json: the JSON array ends too early/),
    ]);
    const unknown = zipOf({ 'a.ndjson': toNdjson(events(3)), 'b.txt': 'what\n' });
    expect((await failing(file(unknown))).message).toMatch(/^b\.txt: this is no format/);
  });

  it.each<[ImportOptions, string]>([
    [{ timeZone: 'Mars' }, '`timeZone` takes a name such as Europe/Berlin or UTC, got "Mars"'],
    [{ encoding: 'utf-99' }, '`encoding` takes a name such as windows-1252'],
    [{ map: {}, dateFormat: 'HH' }, '`dateFormat`: needs a year'],
    [{ dateFormat: 'DD.MM.YYYY' }, '`dateFormat` goes with `map`'],
    [{ types: { a: 'number' } }, '`types` goes with `map`'],
    [{ map: {}, types: { a: 'word' } } as unknown as ImportOptions, '`types` takes text, number'],
    [{ from: 'excel' } as unknown as ImportOptions, '`from` takes event-query, csv, '],
    [{ epoch: 'h' } as unknown as ImportOptions, '`epoch` takes '],
    [{ map: {}, decimal: ';' } as unknown as ImportOptions, '`decimal` takes '],
  ])('%j is refused before anything is read', (options, message) => {
    expect(() => readEvents('no such file', options)).toThrow(ImportError);
    expect(() => readEvents('no such file', options)).toThrow(message);
  });

  it('names options as its caller does', async () => {
    const table = Buffer.from('a,b\n1,2\n');
    const map = { eventName: 'c' };
    expect((await failing(table, { map })).message).toMatch(/^`map`: .*A text for every row is \{ constant/);
    const words = { option: (name: string) => `input "${name}"`, constant: 'in italics' };
    expect((await failing(table, { map, words })).message).toMatch(
      /^input "map": .*A text for every row is in italics$/,
    );
  });

  it('is no text', async () => {
    const texts = ['{}'] as unknown as Iterable<Uint8Array>;
    await expect(gather(readEvents(texts))).rejects.toThrow('yields bytes');
  });

  it('rejects with the error of the system for a file that is not there', async () => {
    await expect(gather(readEvents(join(folder, 'none')))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
