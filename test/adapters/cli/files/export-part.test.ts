import { appendFileSync, copyFileSync, linkSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openPart } from '../../../../adapters/cli/files/export-part.ts';
import type { ExportJob } from '../../../../adapters/cli/files/target.ts';
import { toCursor } from '../../../../src/internal.ts';
import { createFolder } from '../../../support/file.ts';

const JOB: ExportJob = {
  tenantId: 't',
  query: { from: -Infinity, until: Infinity, condition: { kind: 'all', of: [] } },
  include: [],
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

describe('a part that an export left', () => {
  const job: ExportJob = { ...JOB, format: 'ndjson' };
  const line = (i: number) => `${JSON.stringify({ eventTs: new Date(i).toISOString(), insertId: 'a' })}\n`;
  const cursorOf = (i: number) => toCursor(job.query, { eventTs: i, insertId: 'a' });

  /** Makes a part with two lines next to `file`, as an interrupted export leaves it. */
  async function createPart() {
    const folder = createFolder();
    onTestFinished(() => folder.remove());
    const file = folder.file('orders.ndjson');
    const target = openPart(file, job);
    await target.write(line(2));
    await target.write(line(1));
    await target.close();
    const [name] = readdirSync(folder.path);
    return { file, part: folder.file(name!), goOn: () => openPart(file, { ...job, cursor: cursorOf(1) }) };
  }

  it('is resumed after its last complete line, without the incomplete one', async () => {
    const { file, part, goOn } = await createPart();
    appendFileSync(part, `{"half": "${'x'.repeat(1000)}`);
    const target = goOn();
    await target.write(line(0));
    target.finish();
    await target.close();
    expect(readFileSync(file, 'utf8')).toBe(line(2) + line(1) + line(0));
  });

  it('is nobody else’s: what has a second name is not written', async () => {
    const { file, part, goOn } = await createPart();
    linkSync(part, `${file}.second`);
    expect(goOn).toThrow(/is no part that you wrote; remove it$/);
  });

  it('must be the only one: with two, the right one is unknown', async () => {
    const { part, goOn } = await createPart();
    copyFileSync(part, part.replace(/\.part$/, '0.part'));
    expect(goOn).toThrow(/there are several parts, \S+ and \S+; remove all but one$/);
  });
});
