import { fileURLToPath } from 'node:url';
import { rollup } from 'rollup';
import { dts } from 'rollup-plugin-dts';
import { entries } from './tsup.ts';

/**
 * Writes the declarations of all entry points into `dist`, for modules and for CommonJS. One compiler reads
 * them all: that of tsup starts once for each folder of an entry, and takes 5 GB.
 */
process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const declarations = await rollup({
  input: entries,
  plugins: [dts()],
  external: /^[^./]/,
  onwarn: (warning) => {
    // The writing thread exports nothing, so its declarations are empty.
    if (warning.code !== 'EMPTY_BUNDLE') throw new Error(warning.message);
  },
});
for (const ending of ['d.ts', 'd.cts']) {
  await declarations.write({
    dir: 'dist',
    entryFileNames: `[name].${ending}`,
    chunkFileNames: `[name]-[hash].${ending}`,
  });
}
await declarations.close();
