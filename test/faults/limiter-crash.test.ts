import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openLimiter, QUOTA } from './support/limiter-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'event-query-limiter-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** Lets a process take tokens, kills it when it has told of so many, and returns all that it told. */
async function takeAndCrash(file: string, told: number): Promise<string> {
  const script = fileURLToPath(new URL('./support/limiter-child.ts', import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', script, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    if (output.length >= told) child.kill('SIGKILL');
  });
  await once(child, 'close');
  return output;
}

describe('a crash of a process that uses the limiter of a SQLite file', () => {
  it('hands out nothing new, and loses at most the token that was on its way', async () => {
    const file = join(folder, 'limits.db');
    let admitted = 0;
    const crashes = [1, 37, 150, 400, 3];
    for (const told of crashes) {
      const output = await takeAndCrash(file, told);
      expect(output).toMatch(/^y*n*$/);
      admitted += output.replaceAll('n', '').length;
    }
    const limiter = openLimiter(file);
    const { remaining } = (await limiter.take(0)).windows[0]!;
    expect(remaining).toBeLessThanOrEqual(QUOTA - admitted);
    expect(remaining).toBeGreaterThanOrEqual(QUOTA - admitted - crashes.length);
    for (let i = 0; i < remaining; i++) expect((await limiter.take()).allowed).toBe(true);
    expect((await limiter.take()).allowed).toBe(false);
    await limiter.close();
    expect(await takeAndCrash(file, 1)).toMatch(/^n+$/);
  });
});
