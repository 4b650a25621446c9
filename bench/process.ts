import { fork, spawnSync, type ChildProcess, type StdioOptions } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const BUILT = new URL('dist/', import.meta.url);

/** Room for a million events as objects, and a collector that can be called between measurements. */
const PEER_FLAGS = ['--expose-gc', '--max-old-space-size=12288'];

/**
 * The path of a program of the benches, and the flags of Node that run it. `file` is its name without an
 * extension, beside the module at `from`: a source that is run by tsx, or the plain JavaScript of
 * `buildBenches`.
 */
export function findProgram(file: string, from: string): { path: string; flags: readonly string[] } {
  const isSource = from.endsWith('.ts');
  const path = fileURLToPath(new URL(`${file}.${isSource ? 'ts' : 'js'}`, from));
  return { path, flags: isSource ? ['--import', 'tsx'] : [] };
}

/** Starts a program of the benches, as `findProgram` finds it, in a process of its own. */
export function forkProgram(
  file: string,
  from: string,
  args: readonly string[] = [],
  ownEnv: NodeJS.ProcessEnv = {},
  flags: readonly string[] = PEER_FLAGS,
  stderr: number | 'inherit' = 'inherit',
): ChildProcess {
  const program = findProgram(file, from);
  return fork(program.path, [...args], {
    env: { ...process.env, ...ownEnv },
    stdio: ['inherit', 'inherit', stderr, 'ipc'] satisfies StdioOptions,
    execArgv: [...flags, ...program.flags],
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
