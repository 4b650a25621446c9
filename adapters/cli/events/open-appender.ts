import type { Command } from 'commander';
import { withStores } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';
import { sendingServerOf } from './remote-options.ts';
import { openRemoteAppender } from './remote-appender.ts';
import type { AppenderOptions, EventAppender } from './appender.ts';

/**
 * Opens what stores a tenant's events, the server that `--url` names or this machine's backends, does the
 * work of one command, and closes it again.
 */
export async function withAppender(
  command: Command,
  alias: string,
  { dryRun = false }: AppenderOptions,
  work: (appender: EventAppender) => Promise<void>,
): Promise<void> {
  const server = sendingServerOf(command);
  if (server !== undefined) {
    const appender = openRemoteAppender(server, alias, { dryRun });
    return work(appender).finally(() => appender.close());
  }
  return withStores(placesOf(command), 'existing', async ({ admin, operations }) => {
    const { id } = await admin.getTenant(alias);
    return work({ append: (batch) => operations.append(id, batch, { dryRun }) });
  });
}
