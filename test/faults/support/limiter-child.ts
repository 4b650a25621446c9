import { writeSync } from 'node:fs';
import { openLimiter } from './limiter-file.ts';

/**
 * Takes tokens from the limiter of a file as fast as it can, and tells of each that it got, until it is
 * killed.
 */
const limiter = openLimiter(process.argv[2] ?? '');
for (;;) {
  const { allowed } = await limiter.take();
  writeSync(1, allowed ? 'y' : 'n');
}
