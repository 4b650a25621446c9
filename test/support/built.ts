import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder of the build that is tried: `dist`, or another that `EVENT_QUERY_DIST` names, such as one that
 * was broken on purpose to see a test fail.
 */
export const DIST = process.env.EVENT_QUERY_DIST ?? fileURLToPath(new URL('../../dist', import.meta.url));

/** The built command. Throws an Error when there is no build. */
export function builtCli(): string {
  const cli = join(DIST, 'cli.js');
  if (!existsSync(cli)) throw new Error(`There is no ${cli}: run "npm run build" first.`);
  return cli;
}
