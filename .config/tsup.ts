import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'tsup';
import manifest from '../package.json' with { type: 'json' };
import { buildName } from './build-name.ts';
import { compressPages } from './compress-pages.ts';
import { splitPages, writePreloads } from './split-pages.ts';

/** Every adapter is an entry point of its own name, so that no folder can be forgotten here. */
const adapters = readdirSync('adapters').filter((name) => name !== 'cli' && !name.endsWith('.md'));
const library = {
  index: 'src/index.ts',
  'store-kit': 'src/store-kit.ts',
  'transport-kit': 'src/transport-kit.ts',
  conformance: 'test/conformance/index.ts',
  ...Object.fromEntries(adapters.map((name) => [name, `adapters/${name}/index.ts`])),
};

/**
 * What the client needs of the core. An entry is a chunk of its own; among the files of the kits, a page that
 * sends events would load the engine with it.
 */
const light = {
  'foreign-answer': 'src/core/base/foreign-answer.ts',
  'json-text': 'src/core/event/json-text.ts',
  'query-pages': 'src/core/query/pages.ts',
};

/** The thread that writes to a file: it starts anew in each process that has a writer. */
const writer = { 'sqlite-writer': 'adapters/sqlite/writer/sqlite-writer.ts' };

/** All entry points that others load: they have declarations. */
export const entries = { ...library, ...writer };

export default defineConfig([
  {
    entry: { ...library, ...light },
    format: ['esm', 'cjs'],
    target: 'node20',
    // Entry points share chunks, so that there is one core however many of them an application loads.
    splitting: true,
    // The CommonJS build knows by them where it lies itself, and so where the writing thread's entry point
    // is.
    shims: true,
    silent: true,
  },
  {
    // Alone: with the chunks of the library, the thread would load all that parses bodies, and use none.
    entry: writer,
    format: ['esm', 'cjs'],
    target: 'node20',
    splitting: false,
    silent: true,
  },
  {
    entry: { cli: 'adapters/cli/main.ts' },
    format: ['esm'],
    target: 'node20',
    banner: { js: '#!/usr/bin/env node' },
    define: { EVENT_QUERY_BUILD: JSON.stringify(buildName(fileURLToPath(new URL('..', import.meta.url)))) },
    // What is installed by who uses it is loaded by name.
    external: Object.keys(manifest.peerDependencies),
    // Of their many files a command uses a few: with these in its own it starts in two thirds of the time.
    noExternal: ['zod'],
    silent: true,
  },
  {
    // The pages of the dashboard: a script for browsers, with all that the first view needs in it, and parts
    // that load later.
    entry: { app: 'adapters/dashboard/pages/main.tsx' },
    outDir: 'dist/dashboard',
    publicDir: 'adapters/dashboard/pages/public',
    format: ['esm'],
    platform: 'browser',
    target: 'es2022',
    noExternal: [/./],
    minify: true,
    silent: true,
    splitting: true,
    esbuildPlugins: [splitPages],
    onSuccess: () => {
      writePreloads();
      compressPages();
      return Promise.resolve();
    },
    esbuildOptions: (options) => {
      options.jsx = 'automatic';
      options.jsxImportSource = 'preact';
    },
  },
]);
