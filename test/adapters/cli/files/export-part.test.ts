import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPart } from '../../../../adapters/cli/files/export-part.ts';
import type { Job } from '../../../../adapters/cli/files/target.ts';
import { createFolder } from '../../../support/file.ts';

const JOB: Job = {
  tenantId: 't',
  query: { from: -Infinity, until: Infinity, condition: { kind: 'all', of: [] } },
  format: 'csv',
  cursor: undefined,
};

describe('the part of a table', () => {
  it('is one process’s own: of two that export at once, each file is whole', async () => {
    const folder = createFolder();
    onTestFinished(() => folder.remove());
    const file = folder.file('orders.csv');
    const first = openPart(file, JOB);
    await first.write('a1\n');
    const second = openPart(file, JOB);
    const third = openPart(file, JOB);
    await third.write('c1\n');
    await third.close();
    await second.write('b1\n');
    await first.write('a2\n');
    first.finish();
    await first.close();
    expect(readFileSync(file, 'utf8')).toBe('a1\na2\n');
    await second.write('b2\n');
    expect(readFileSync(file, 'utf8')).toBe('a1\na2\n');
    second.finish();
    await second.close();
    expect(readFileSync(file, 'utf8')).toBe('b1\nb2\n');
    expect(readdirSync(folder.path)).toEqual(['orders.csv']);
  });
});
