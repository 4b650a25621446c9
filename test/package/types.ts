import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Each compiler that users have, with settings by which they look for types. Node 10 knew no `exports`. */
export const COMPILERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  '5.9': [
    ['--module', 'commonjs'],
    ['--module', 'esnext', '--moduleResolution', 'node10'],
    ['--module', 'node16'],
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ],
  7: [
    ['--module', 'commonjs'],
    ['--module', 'nodenext'],
    ['--module', 'esnext', '--moduleResolution', 'bundler'],
  ],
};

/** Installs the compilers beside the package, and the types of Node that both need. */
export function installCompilers(home: string): void {
  const install = (...args: string[]) =>
    execFileSync('npm', ['install', '--no-audit', '--no-fund', ...args], { cwd: home, stdio: 'pipe' });
  for (const compiler of Object.keys(COMPILERS))
    install('--prefix', join(home, `typescript-${compiler}`), `typescript@${compiler}`);
  install('@types/node@20');
}

/** A program of a user, and how it is compiled. */
interface Program {
  readonly compiler: string;
  readonly options: readonly string[];
  /** The entry points of the package, as its `exports` name them. */
  readonly entries: readonly string[];
}

/** Compiles a program that imports every entry point; throws what the compiler has to say against it. */
export function compileProgram(home: string, { compiler, options, entries }: Program): void {
  const lines = [
    ...entries.map((entry, i) => `import * as entry${i} from 'event-query${entry.slice(1)}';`),
    "import { createApi, type QueryBody } from 'event-query';",
    "import { memoryStores } from 'event-query/memory';",
    "import { nodeResources } from 'event-query/node-http';",
    'type IsAny<T> = 0 extends 1 & T ? true : false;',
    ...entries.map((_, i) => `export const isAny${i}: IsAny<typeof entry${i}> = false;`),
    'const resources = nodeResources();',
    'export const api = createApi({ stores: memoryStores({ resources }), resources });',
    "const filter = { property: 'properties.n', comparison: 'LESS_THAN', value: 5 } as const;",
    'export const body: QueryBody = { filterSet: [filter] };',
    '// @ts-expect-error -- a comparison that does not exist',
    "export const wrong: QueryBody = { filterSet: [{ ...filter, comparison: 'BELOW' }] };",
  ];
  writeFileSync(join(home, 'user.ts'), `${lines.join('\n')}\n`);
  const strict = ['--strict', '--noEmit', '--target', 'es2022', '--types', 'node', '--skipLibCheck'];
  compile(home, compiler, [...strict, ...options, 'user.ts']);
}

/** Compiles the tests of types with their sources; throws what the compiler has to say against them. */
export function compileTests(home: string, compiler: string): void {
  const { compilerOptions } = JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')) as {
    readonly compilerOptions: object;
  };
  const folder = join(root, 'test/types');
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name));
  const typeRoots = [join(root, 'node_modules/@types')];
  const config = join(home, 'tests.json');
  writeFileSync(config, JSON.stringify({ compilerOptions: { ...compilerOptions, typeRoots }, files }));
  compile(home, compiler, ['--project', config]);
}

function compile(home: string, compiler: string, args: readonly string[]): void {
  const tsc = join(home, `typescript-${compiler}`, 'node_modules/.bin/tsc');
  try {
    execFileSync(tsc, args, { cwd: home, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    throw new Error((error as { stdout: string }).stdout, { cause: error });
  }
}
