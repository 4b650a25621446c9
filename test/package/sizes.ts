import { build } from 'esbuild';
import { gzipSync } from 'node:zlib';
import manifest from '../../package.json' with { type: 'json' };

/**
 * What a program that bundles it loads, minified and gzipped, in kB of 1,000 bytes at most. The conformance
 * suite has room to grow, because it only runs in the tests of who writes a store.
 */
export const ENTRY_KB_MAX: Readonly<Record<string, number>> = {
  'createEngine with the memory store': 82,
  'event-query': 101,
  'event-query/store-kit': 67,
  'event-query/transport-kit': 19,
  'event-query/memory': 61,
  'event-query/sqlite': 90,
  'event-query/sqlite-writer': 22,
  'event-query/node-http': 22,
  'event-query/serve': 175,
  'event-query/sdks': 15,
  'event-query/import': 156,
  'event-query/fetch': 15,
  'event-query/jose': 16,
  'event-query/postgres': 41,
  'event-query/clickhouse': 43,
  'event-query/client': 9,
  'createClient and where of event-query/client': 6,
  'createSender of event-query/client': 7,
  'event-query/dashboard': 7,
  'event-query/oidc': 27,
  'event-query/redis': 7,
  'event-query/prometheus': 24,
  'event-query/opentelemetry': 6,
  'event-query/sql': 27,
  'event-query/conformance': 79,
};
/** Drivers, frameworks of tests and Node itself are the program's own. */
const NOT_COUNTED = [...Object.keys(manifest.peerDependencies), ...['vitest', 'node:*']];
/** What is measured in parts, because programs take no more of it. */
const PARTS: Readonly<Record<string, string>> = {
  'createEngine with the memory store': `import { createEngine } from 'event-query';
    import { memoryEventStore } from 'event-query/memory';
    console.log(createEngine, memoryEventStore);`,
  'createClient and where of event-query/client': `import { createClient, where } from 'event-query/client';
    console.log(createClient, where);`,
  'createSender of event-query/client': `import { createSender } from 'event-query/client';
    console.log(createSender);`,
};

/** How large an entry of the package that is installed below `folder` is, in kB. */
export async function sizeOf(entry: string, folder: string): Promise<number> {
  const contents = PARTS[entry] ?? `import * as all from '${entry}'; console.log(all);`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: folder },
    ...{ bundle: true, minify: true, write: false, logLevel: 'silent' },
    ...{ format: 'esm', platform: 'node', external: NOT_COUNTED },
  });
  return gzipSync(outputFiles[0]!.contents).length / 1000;
}
