import { mkdirSync, symlinkSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findPlace } from '../../../../adapters/cli/files/export-place.ts';
import { createFolder } from '../../../support/file.ts';

describe('the target of an export', () => {
  it('is where links lead, each relative to its own folder', () => {
    const folder = createFolder();
    onTestFinished(() => folder.remove());
    mkdirSync(folder.file('deep'));
    symlinkSync('target.ndjson', folder.file('deep/relative'));
    symlinkSync('deep/relative', folder.file('twice'));
    symlinkSync(folder.file('deep/target.ndjson'), folder.file('absolute'));
    symlinkSync('endless', folder.file('endless'));
    symlinkSync('deep', folder.file('toFolder'));
    const target = { kind: 'file', file: folder.file('deep/target.ndjson') };
    for (const name of ['deep/relative', 'twice', 'absolute', 'toFolder/relative', 'deep/target.ndjson']) {
      expect(findPlace(folder.file(name)), name).toEqual(target);
    }
    expect(() => findPlace(folder.file('endless'))).toThrow(/leads through too many links$/);
    expect(() => findPlace(folder.file('toFolder'))).toThrow(/deep is a folder$/);
    expect(() => findPlace(folder.file('none/x'))).toThrow(/there is no folder \S+none$/);
  });

  it('is stdout when a name means that of this process, and of no other', () => {
    for (const own of ['/proc/self/fd/1', `/proc/${process.pid}/fd/1`, '/dev/fd/1']) {
      expect(findPlace(own), own).toEqual({ kind: 'stdout' });
    }
    expect(findPlace(`/proc/${process.ppid}/fd/1`).kind).toBe('stream');
    expect(findPlace('/proc/self/fd/2').kind).toBe('stream');
  });
});
