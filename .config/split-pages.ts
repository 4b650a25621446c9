import { readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'esbuild';

/** What every part of the pages finds loaded already. */
const SHARED = fileURLToPath(new URL('../adapters/dashboard/pages/app.tsx', import.meta.url));
const ENTRY = 'app.js';
const PAGE = 'dist/dashboard/index.html';

/** The files that the entry imports at once, each with those that it imports. */
let preloaded: readonly string[] = [];

/**
 * Makes few files of the pages: one that the first view needs, and one for each part that loads later.
 *
 * Esbuild makes a file of its own for the modules that the same entries and later parts reach. A later part
 * only ever loads after the first view, so the plugin lets each of them reach the whole first view. Without
 * it, the first view would be twenty files.
 */
export const splitPages: Plugin = {
  name: 'split-pages',
  setup(build) {
    build.onResolve({ filter: /./ }, async ({ path, kind, ...from }) => {
      if (kind !== 'dynamic-import') return undefined;
      const found = await build.resolve(path, { kind: 'import-statement', ...from });
      return { path: found.path, pluginData: { isLater: true } };
    });
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path, pluginData }) => {
      if ((pluginData as { readonly isLater?: boolean } | undefined)?.isLater !== true) return undefined;
      const text = await readFile(path, 'utf8');
      return { contents: `${text}\nimport ${JSON.stringify(SHARED)};\n`, loader: 'tsx' };
    });
    build.onEnd(({ metafile }) => {
      const outputs = metafile?.outputs ?? {};
      const found = new Set<string>();
      const follow = (path: string) => {
        for (const each of outputs[path]?.imports ?? []) {
          if (each.kind !== 'import-statement' || found.has(each.path)) continue;
          found.add(each.path);
          follow(each.path);
        }
      };
      follow(Object.keys(outputs).find((path) => basename(path) === ENTRY) ?? '');
      preloaded = [...found].map((path) => basename(path));
    });
  },
};

/** Lets the built page load at once what its script imports, instead of after the script. */
export function writePreloads(): void {
  const links = preloaded.map((name) => `<link rel="modulepreload" href="dashboard/${name}" />\n    `);
  const html = readFileSync(PAGE, 'utf8');
  writeFileSync(PAGE, html.replace('<script type="module"', `${links.join('')}<script type="module"`));
}
