import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createPlace } from '../command.ts';

const place = createPlace();
afterAll(() => place.remove());

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];
const files: Partial<Record<Shell, string>> = {};

beforeAll(async () => {
  for (const shell of SHELLS) {
    files[shell] = join(place.folder, `completion.${shell}`);
    writeFileSync(files[shell], await place.ok(['completion', shell]));
  }
});

/** How a shell is asked what can follow these words; the last one may be begun. It prints a word a line. */
const ASKS: Readonly<Record<Shell, (file: string, words: readonly string[]) => readonly string[]>> = {
  bash: (file, words) => [
    '--norc',
    '-euc',
    'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _event_query; ' +
      'printf "%s\\n" "${COMPREPLY[@]:-}"',
    'bash',
    file,
    ...words,
  ],
  // The system of completions needs a terminal, so its three functions print what they are given.
  zsh: (file, words) => [
    '-fc',
    `compdef() { : }; _files() { : }
     compadd() { shift; print -l -- "$@" }
     _describe() { local each; for each in "\${(@P)2}"; do print -r -- "\${\${each//\\\\\\\\:/@}%%:*}"; done }
     source "$1"; shift; words=("$@"); CURRENT=$#; _event_query`,
    'zsh',
    file,
    ...words,
  ],
  // `string` fails when it has nothing to print.
  fish: (file, words) => [
    '--no-config',
    '-c',
    'source $argv[1]; complete -C "$argv[2]" | string split -f1 \\t; or true',
    file,
    words.join(' '),
  ],
};

function complete(shell: Shell, ...words: string[]): readonly string[] {
  const { status, stdout, stderr } = spawnSync(shell, ASKS[shell](files[shell]!, ['event-query', ...words]), {
    encoding: 'utf8',
    cwd: place.folder,
  });
  expect([status, stderr]).toEqual([0, '']);
  const begun = words.at(-1) ?? '';
  return stdout.split('\n').filter((word) => word !== '' && word.startsWith(begun));
}

describe.each(SHELLS)('completion in %s', (shell) => {
  const isThere = spawnSync(shell, ['--version']).status === 0;
  if (!isThere && process.env.EVENT_QUERY_SHELLS === 'required') throw new Error(`${shell} is required`);
  if (!isThere) console.warn(`SKIPPED: ${shell} is not installed, so its completion is not tested`);

  it.skipIf(!isThere)('knows commands, and those below a group', () => {
    expect(complete(shell, '')).toEqual(expect.arrayContaining(['serve', 'tenant', 'completion']));
    expect(complete(shell, 'ten')).toEqual(['tenant']);
    expect(complete(shell, 'key', 'r')).toEqual(['revoke', 'rotate']);
    expect(complete(shell, 'dashboard', 'key', 'rev')).toEqual(['revoke']);
    // A value of a flag, or an argument, is no command.
    expect(complete(shell, '--db', 'x.db', 'tenant', 'show', 'key', '--js')).toEqual(['--json']);
  });

  it.skipIf(!isThere)('knows the flags of each command, and not those that are hidden', () => {
    expect(complete(shell, 'count', 'shop', '--fi')).toEqual(['--filter']);
    expect(complete(shell, 'erase', 'shop', '--us')).toEqual(['--user']);
    expect(complete(shell, 'count', 'shop', '--d')).toEqual(['--db']);
    expect(complete(shell, 'serve', '--no-a')).toEqual(['--no-access-log']);
  });

  it.skipIf(!isThere)('knows what a flag chooses from', () => {
    expect(complete(shell, 'export', 'shop', '--format', 'p')).toEqual(['parquet']);
    expect(complete(shell, 'tenant', 'set', 'shop', '--auth', '')).toEqual(
      expect.arrayContaining(['NONE', 'SERVER_SIDE', 'JWT']),
    );
    expect(complete(shell, 'completion', 'fi')).toEqual(['fish']);
  });

  it.skipIf(!isThere)('offers no command where a flag takes any other value', () => {
    expect(complete(shell, '--db', 'se')).toEqual([]);
  });
});

it('a shell that is not known is refused with those that are', async () => {
  const { code, stderr } = await place.run(['completion', 'csh']);
  expect([code, stderr]).toEqual([2, expect.stringContaining('Allowed choices are bash, zsh, fish')]);
});
