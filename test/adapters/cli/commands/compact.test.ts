import { readFileSync, statSync } from 'node:fs';
import Database from 'better-sqlite3';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';
import { toNdjson } from '../ndjson.ts';

const place = createPlace();
afterAll(() => place.remove());

describe('compact', () => {
  it('shrinks the file and removes deleted data', async () => {
    await place.ok(['tenant', 'create', 'gone']);
    await place.ok(['tenant', 'create', 'stays']);
    const event = (i: number) => ({
      eventName: 'a',
      userId: `user-of-${i}`,
      eventTs: 1_700_000_000_000 + i,
      properties: { text: `${i} `.repeat(50) },
    });
    const events = toNdjson(Array.from({ length: 3000 }, (_, i) => event(i)));
    await place.import('gone', events);
    await place.import('stays', toNdjson([event(9_999_999)]));
    await place.ok(['tenant', 'delete', 'gone', '--yes']);
    const compacted = JSON.parse(await place.ok(['compact', '--json'])) as Record<string, number>;
    expect(compacted).toMatchObject({ bytesAfter: statSync(place.db).size, logEmptied: true });
    expect(compacted.bytesAfter).toBeLessThan(compacted.bytesBefore! / 2);
    expect(readFileSync(place.db).includes('user-of-1')).toBe(false);
    expect(await place.ok(['count', 'stays'])).toBe('1\n');
    const lines = expect.stringMatching(/^\d+ bytes before, \d+ now\n$/) as string;
    expect(await place.run(['compact'])).toEqual({ code: 0, stdout: lines, stderr: '' });
    const reader = new Database(place.db);
    reader.exec('BEGIN; SELECT * FROM documents');
    const ending = await place.run(['compact']);
    reader.close();
    expect(ending).toEqual({
      code: 0,
      stdout: lines,
      stderr: expect.stringMatching(/^another process was reading; run it again/) as string,
    });
  });

  it('creates no file', async () => {
    const { code, stderr } = await place.run(['compact', '--db', `${place.db}.none`]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/there is no file/)]);
  });
});
