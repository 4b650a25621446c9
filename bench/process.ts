import { fork, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const BUILT = new URL('dist/', import.meta.url);

/** Room for a million events as objects, and a collector that can be called between measurements. */
const PEER_FLAGS = ['--expose-gc', '--max-old-space-size=12288'];

/**
 * Starts a program of the benches in a process of its own. `file` is its name without an extension, beside
 * the module at `from`: a source that is run by tsx, or the plain JavaScript of `buildBenches`.
 */
export function forkProgram(
  file: string,
  from: string,
  args: readonly string[] = [],
  ownEnv: NodeJS.ProcessEnv = {},
  flags: readonly string[] = PEER_FLAGS,
  stderr: number | 'inherit' = 'inherit',
): ChildProcess {
  const options = {
    env: { ...process.env, ...ownEnv },
    stdio: ['inherit', 'inherit', stderr, 'ipc'] satisfies StdioOptions,
  };
  if (!from.endsWith('.ts'))
    return fork(new URL(`${file}.js`, from), [...args], { ...options, execArgv: [...flags] });
  return fork(new URL(`${file}.ts`, from), [...args], {
    ...options,
    execArgv: [...flags, '--import', 'tsx'],
  });
}

/**
 * Compiles the benches and all that they measure to plain JavaScript, and returns the address to fork
 * programs from. What a loader like tsx puts around functions, to keep their names, would be measured too.
 */
export function buildBenches(): string {
  const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  const project = fileURLToPath(new URL('tsconfig.json', import.meta.url));
  const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', project], { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the benches do not compile:\n${stdout}`);
  return new URL('bench/run.js', BUILT).href;
}

/** Removes what `buildBenches` made. */
export function removeBuild(): void {
  rmSync(BUILT, { recursive: true, force: true });
}
