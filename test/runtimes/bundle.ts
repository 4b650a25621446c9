import { fileURLToPath } from 'node:url';
import { build, type Metafile } from 'esbuild';

/** A program in one file, and what it was made of. */
export interface Bundle {
  readonly text: string;
  readonly inputs: Metafile['inputs'];
}

/** What only Node has is not there for a bundle, in Node either. */
const OF_NODE = ['process', 'Buffer', 'setImmediate', 'global', '__dirname', '__filename'];

/** Bundles a program that has `serve` for a runtime without Node: what it imports of Node is an error. */
export async function bundleFor(program: string): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    stdin: {
      contents: `import { serve } from './program.ts';\n${program}`,
      resolveDir: fileURLToPath(new URL('.', import.meta.url)),
      loader: 'ts',
    },
    bundle: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    define: Object.fromEntries(OF_NODE.map((name) => [name, 'undefined'])),
    write: false,
    metafile: true,
    logLevel: 'silent',
  });
  return { text: outputFiles[0]!.text, inputs: metafile.inputs };
}
