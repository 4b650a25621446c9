import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openZip } from '../../../../adapters/cli/import/readers/zip.ts';
import { toUmamiRecords } from '../../../../adapters/cli/import/umami-zip.ts';
import { gather } from './gathered.ts';
import { SOURCES } from './sources.ts';

describe('the records of Umami', () => {
  it('are the same in one turn and in many, whatever order their data is in', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'event-query-umami-'));
    const path = join(folder, 'export.zip');
    writeFileSync(path, SOURCES.umami!.fileOf(0, 200));
    const zip = await openZip(path);
    const [data, events] = zip.members;
    const once = await gather(toUmamiRecords(events!, data));
    const often = await gather(toUmamiRecords(events!, data, 500));
    zip.close();
    rmSync(folder, { recursive: true });
    expect(once).toHaveLength(200);
    expect(often.map(({ number }) => number)).not.toEqual(once.map(({ number }) => number));
    expect(often.sort((a, b) => a.number - b.number)).toEqual(once);
  });
});
