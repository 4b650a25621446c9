import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, realpathSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Folder } from '../../support/file.ts';
import { NEXT_STEP_OPTION } from '../../support/next-schema.ts';
import { parseRecords, type DiskRecord } from './disk.ts';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Compiles the recorder; undefined where there is no compiler. Throws an Error when it does not compile. */
export function compileRecorder(folder: Folder): string | undefined {
  const library = folder.file('record.so');
  const args = ['-O1', '-fPIC', '-shared', '-o', library, here('record.c'), '-ldl', '-lpthread'];
  const { error, status, stderr } = spawnSync('cc', args, { encoding: 'utf8' });
  if (error !== undefined) return undefined;
  if (status !== 0) throw new Error(`record.c does not compile: ${stderr}`);
  return library;
}

/** How a run writes. */
export interface RunOptions {
  readonly library: string;
  /** The folder with the database, whose calls are recorded. */
  readonly folder: string;
  readonly steps: number;
  readonly seed: number;
  readonly synchronous?: 'OFF' | 'NORMAL';
}

/** Lets two processes write to one database at once; what they asked of the disk, in order. */
export async function recordRun({
  library,
  folder,
  steps,
  seed,
  ...options
}: RunOptions): Promise<DiskRecord[]> {
  const log = `${folder}.records`;
  const env = { ...process.env, LD_PRELOAD: library, POWER_FOLDER: realpathSync(folder), POWER_LOG: log };
  const runs = ['a', 'b'].map(async (name, i) => {
    const args = ['--folder', realpathSync(folder), '--name', name, '--seed', String(seed + i)];
    if (options.synchronous !== undefined) args.push('--synchronous', options.synchronous);
    const child = spawn(
      process.execPath,
      [NEXT_STEP_OPTION, '--import', 'tsx', here('writer.ts'), ...args, '--steps', String(steps)],
      { env, stdio: ['ignore', 'inherit', 'inherit'], cwd: here('../../..') },
    );
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`writer ${name} ended with ${code}`);
  });
  await Promise.all(runs);
  const records = parseRecords(readFileSync(log));
  rmSync(log);
  const unseen = records.filter(({ kind }) => kind === 'X');
  if (unseen.length > 0) throw new Error(`${join(folder, unseen[0]!.name)} was changed unseen`);
  return records;
}
