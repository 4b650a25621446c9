/**
 * Load on the built server, from processes of their own: `npm run soak -- [--seconds 60] [--rate N] [--quick]
 * [--write] [--seed N]` in parts, of which `--quick` takes about 25 s and `--write` puts the figures into
 * README.md beside this file; `npm run soak -- --minutes 30 [--rate N]` steadily, to see whether memory
 * grows. It ends with a line of counts.
 */
import { OPTIONS } from './options.ts';

await import(OPTIONS.minutes === undefined ? './load.ts' : './steady.ts');
