import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Logger } from '../../../src/index.ts';
import { DEFAULT_LIMITS } from '../../node-http/index.ts';
import type { ServerOptions } from '../options/server-options.ts';
import { filesOf, nameOf } from '../stores/open-stores.ts';
import type { StoreUrl } from '../stores/store-url.ts';
import { VERSION } from '../values/version.ts';
import { boundConnections } from './descriptors.ts';
import type { Listening } from './listening.ts';
import { memoryLimitOf } from './memory.ts';

/** The lines of the log about the life of a server. */
export interface LifeLines {
  /** Logs what was started, and how: the first question of whoever reads a log. */
  started(where: Listening): void;
  /** Logs the end of the server: why, how many requests it answered, and for how long it listened. */
  stopped(fields: Readonly<Record<string, unknown>>, requests: number): void;
}

/** Makes these lines for a server with some options. No line holds a password. */
export function createLifeLines(
  options: ServerOptions,
  log: Logger,
  { traces }: { readonly traces: boolean },
): LifeLines {
  let startedAt = performance.now();
  return {
    started({ url, dashboardUrl, metricsUrl }) {
      startedAt = performance.now();
      const { places, workers = 1 } = options;
      const { events, control, limits } = places;
      const listening = [url, dashboardUrl, metricsUrl].filter((each) => each !== undefined);
      const fields = {
        ...{ version: VERSION, node: process.version },
        ...{ events: placeOf(events), control: placeOf(control), limits: placeOf(limits) },
        ...{ fileBytes: bytesOf(filesOf(places)), workers, memoryMax: memoryLimitOf(options) },
        connectionsMax: boundConnections(DEFAULT_LIMITS.connectionsMax),
        ...{ runningMax: DEFAULT_LIMITS.runningMax, listening: [...new Set(listening)] },
        // Most servers trace nothing, and their line does not speak of it.
        ...(traces && { traces: 'opentelemetry' }),
      };
      log.info(fields, 'started');
    },
    stopped(fields, requests) {
      const uptimeSeconds = Math.round((performance.now() - startedAt) / 100) / 10;
      log.info({ ...fields, requests, uptimeSeconds }, 'stopped');
    },
  };
}

function placeOf(place: StoreUrl): string {
  return place.kind === 'sqlite' ? resolve(place.address) : nameOf(place);
}

/** The size of SQLite files with their write-ahead logs; undefined where there is none. */
function bytesOf(files: readonly string[]): number | undefined {
  if (files.length === 0) return undefined;
  const sizes = files
    .flatMap((file) => [file, `${file}-wal`])
    .map((name) => statSync(name, { throwIfNoEntry: false }));
  return sizes.reduce((sum, found) => sum + (found?.size ?? 0), 0);
}
