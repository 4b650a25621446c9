import { readFileSync, statSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { createPlace, toNdjson } from '../command.ts';

const place = createPlace();
afterAll(() => place.remove());

describe('compact', () => {
  it('leaves a small file without what was deleted', async () => {
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
    expect(await place.ok(['compact'])).toMatch(/^\d+ bytes before, \d+ now\n$/);
  });

  it('makes no file', async () => {
    const { code, stderr } = await place.run(['compact', '--db', `${place.db}.none`]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/there is no file/)]);
  });
});
