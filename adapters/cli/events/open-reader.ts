import type { Command } from 'commander';
import { remoteServerOf } from './remote-options.ts';
import { withStores } from '../stores/open-stores.ts';
import { placesOf } from '../stores/places.ts';
import { localReader } from './local-reader.ts';
import type { EventReader } from './reader.ts';
import { remoteReader } from './remote-reader.ts';

/** What a command reads. */
export interface OpenReader {
  readonly reader: EventReader;
  /** Identifies the tenant among those that the reader's backend or server has. */
  readonly tenantId: string;
}

/**
 * Opens the events of a tenant, of the server that `--url` names or of this machine's backends, does the work
 * of one command, and closes them again.
 */
export async function withReader(
  command: Command,
  alias: string,
  work: (open: OpenReader) => Promise<void>,
): Promise<void> {
  const server = remoteServerOf(command);
  if (server !== undefined) {
    return work({ reader: remoteReader(server, alias), tenantId: `${server.url} ${alias}` });
  }
  return withStores(placesOf(command), 'existing', async ({ admin, operations, engine }) => {
    const { id } = await admin.getTenant(alias);
    return work({ reader: localReader(operations, engine.tenant(id), id), tenantId: id });
  });
}
