import { readdirSync } from 'node:fs';
import { defineConfig } from 'tsup';

/** Every adapter is an entry point of its own name, so that no folder can be forgotten here. */
const adapters = readdirSync('adapters').filter((name) => name !== 'cli');
const library = {
  index: 'src/index.ts',
  conformance: 'test/conformance/index.ts',
  ...Object.fromEntries(adapters.map((name) => [name, `adapters/${name}/index.ts`])),
};

export default defineConfig([
  {
    entry: library,
    format: ['esm', 'cjs'],
    target: 'node20',
    // Entry points share chunks, so that there is one core however many of them an application loads.
    splitting: true,
    dts: true,
    silent: true,
    sourcemap: true,
  },
  {
    entry: { cli: 'adapters/cli/main.ts' },
    format: ['esm'],
    target: 'node20',
    banner: { js: '#!/usr/bin/env node' },
    external: ['better-sqlite3'],
    sourcemap: true,
    silent: true,
  },
]);
