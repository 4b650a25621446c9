import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { ROOT } from '../../support/source-copy.ts';
import { toRow, type Row } from './report.ts';

interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly message: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** Runs what has one right answer, the tests of this folder: a row for each file of them. */
export function runHeld(): Promise<Row[]> {
  const folder = mkdtempSync(join(tmpdir(), 'event-query-attack-'));
  const file = join(folder, 'report.json');
  const args = ['run', '--config', '.config/vitest.ts', '--project', 'attack', '--reporter', 'json'];
  try {
    spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', ...args, '--outputFile', file], {
      cwd: ROOT,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report;
    return Promise.resolve(testResults.map(toFileRow));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function toFileRow({ name, message, assertionResults }: Report['testResults'][number]): Row {
  const passed = assertionResults.filter(({ status }) => status === 'passed');
  const wrong = assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
  // A file that cannot be loaded has no test that could fail.
  if (passed.length + wrong.length === 0) wrong.push(message);
  return toRow(relative(ROOT, name), `${passed.length} tests passed`, wrong);
}
