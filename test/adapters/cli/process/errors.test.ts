import { openSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  describeFileError,
  errorOfStdout,
  isBrokenPipe,
  messageOf,
  toEnding,
} from '../../../../adapters/cli/process/errors.ts';
import { invalid, unavailable } from '../../../../src/index.ts';

describe('the message of an error', () => {
  it('says why a store is unavailable, which clients do not learn', () => {
    expect(messageOf(unavailable(new Error('disk I/O error')))).toBe('disk I/O error');
    expect(toEnding(unavailable(new Error('disk I/O error')))).toEqual({
      exitCode: 1,
      reason: 'disk I/O error',
    });
    expect(messageOf(unavailable('no error'))).toMatch(/^The service is temporarily unavailable/);
  });

  it('tells misuse from failure', () => {
    expect(toEnding(invalid('alias', 'is wrong'))).toMatchObject({ exitCode: 2 });
    expect(toEnding(new Error('a\n b'))).toEqual({ exitCode: 1, reason: 'a b' });
    expect(toEnding('no error at all')).toEqual({ exitCode: 1, reason: 'no error at all' });
  });

  it('a file that cannot be read or written is told in words, a socket as the system does', () => {
    const thrownBy = (work: () => unknown): unknown => {
      try {
        return work();
      } catch (error) {
        return error;
      }
    };
    const missing = thrownBy(() => readFileSync('/none/at/all'));
    expect(messageOf(missing)).toBe('/none/at/all: there is no such file or folder');
    // Node does not name the folder that is read as a file.
    expect(messageOf(thrownBy(() => openSync('/', 'w')))).toBe('/: it is a folder, not a file');
    const refused = Object.assign(new Error('connect ENOENT /run/none.sock'), {
      ...{ code: 'ENOENT', syscall: 'connect', path: '/run/none.sock' },
    });
    expect(messageOf(refused)).toBe('connect ENOENT /run/none.sock');
  });

  it('what to do about a file is said in the same words', () => {
    const of = (code: string) => describeFileError(Object.assign(new Error('x'), { code, path: '/a/b' }));
    expect(of('EROFS')).toBe(
      '/a/b is on a read-only file system; name a place on another one, or mount it for writing',
    );
    expect(of('EPERM')).toBe(of('EACCES'));
    expect(of('ENOENT')).toBe('/a/b: there is no such file or folder; name another place');
    expect(describeFileError(new Error('x'))).toBe('x');
  });

  it.each([
    ['EPIPE', true],
    ['ERR_STREAM_DESTROYED', true],
    ['ENOENT', false],
  ])('%s of stdout: the reader has gone: %s', (code, gone) => {
    expect(isBrokenPipe(errorOfStdout(Object.assign(new Error('x'), { code })))).toBe(gone);
  });

  it('EPIPE of anything else, such as a database, is a failure', () => {
    expect(isBrokenPipe(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' }))).toBe(false);
  });
});
