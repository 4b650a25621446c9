import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkExists, findExposure, makeFile } from '../../../../adapters/cli/stores/sqlite-file.ts';
import { createFolder } from '../../../support/file.ts';

function createOwnFolder() {
  const folder = createFolder();
  onTestFinished(() => folder.remove());
  return folder;
}

describe('a file of a server', () => {
  it('is created for its owner only, with its folders, and an old one stays as it is', () => {
    const folder = createOwnFolder();
    const file = folder.file('deep/er/events.db');
    expect(() => checkExists(file)).toThrow(`there is no file ${file}; name one`);
    makeFile(file);
    checkExists(file);
    const modes = [file, folder.file('deep/er'), folder.file('deep')].map((path) => statSync(path).mode);
    expect(modes.map((mode) => mode & 0o777)).toEqual([0o600, 0o700, 0o700]);
    writeFileSync(file, 'old');
    chmodSync(file, 0o640);
    makeFile(file);
    expect([readFileSync(file, 'utf8'), statSync(file).mode & 0o777]).toEqual(['old', 0o640]);
    expect(existsSync(folder.file('events.db'))).toBe(false);
  });

  it.each([0o640, 0o620, 0o604, 0o602, 0o777])('that other users may open gets a warning: %o', (mode) => {
    const file = createOwnFolder().file("it's.db");
    makeFile(file);
    expect(findExposure(file)).toBeUndefined();
    chmodSync(file, mode);
    const word = `'${file.replace("'", "'\\''")}`;
    expect(findExposure(file)).toBe(
      `users other than its owner can open ${file}; ` +
        `to fix that: chmod 600 ${word}' ${word}-wal' ${word}-shm'`,
    );
  });
});
