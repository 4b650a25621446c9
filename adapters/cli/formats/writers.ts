import type { Properties } from '../../../src/index.ts';
import { createCsv, toEventJson } from '../../../src/internal.ts';
import type { Separator } from '../../../src/transport-kit.ts';
import type { Includable, StoredEvent } from '../../../src/store-kit.ts';
import type { EventWriter, Format, Put } from './format.ts';

/** How events are written besides their format. */
export interface CsvForm {
  readonly include?: readonly Includable[] | undefined;
  /** Of CSV; a comma by default. */
  readonly separator?: Separator | undefined;
  /** Whether CSV begins with a byte order mark. */
  readonly bom?: boolean | undefined;
  /** How CSV writes times: as ISO 8601 by default. */
  readonly times?: 'iso' | 'spreadsheet' | undefined;
}

/** Opens a writer. The header of some formats depends on the property paths of the events. */
type OpenWriter = (
  put: Put,
  properties: () => Promise<Properties>,
  options?: CsvForm,
) => Promise<EventWriter>;

/** The writer of each format; the Parquet library is loaded only when it is needed. */
export const WRITERS: Readonly<Record<Format, OpenWriter>> = {
  ndjson: (put, _properties, { include } = {}) =>
    Promise.resolve(linesOf(put, (event) => `${toEventJson(event, include)}\n`)),
  csv: async (put, properties, { include, separator, bom: hasBom, times } = {}) => {
    const form = { include, separator, hasBom, hasSheetTimes: times === 'spreadsheet' };
    const { head, lineOf } = createCsv(await properties(), '--format', form);
    await put(head);
    return linesOf(put, lineOf);
  },
  parquet: async (put, properties, { include } = {}) => {
    const [{ openParquet }, found] = await Promise.all([import('./parquet.ts'), properties()]);
    return openParquet(put, found, include);
  },
};

function linesOf(put: Put, lineOf: (event: StoredEvent) => string): EventWriter {
  return { write: (events) => put(events.map(lineOf).join('')), end: () => Promise.resolve() };
}
