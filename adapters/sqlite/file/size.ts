import { statSync } from 'node:fs';
import type { Resources } from '../../../src/index.ts';
import type { SqliteDatabase } from './database.ts';
import { freeOf } from './reserve.ts';

/** Tells the meter how large a file is and how much room its disk has, whenever somebody asks. */
export function measureSize(meter: Resources['meter'], database: SqliteDatabase, file: string): void {
  if (file === '') return;
  const selectColumns = database.prepare('SELECT sum(bytes) AS bytes FROM column_paths');
  const columnBytes = () => (selectColumns.get() as { bytes: number | null }).bytes ?? 0;
  const sizes = {
    main: () => statSync(file).size,
    wal: () => statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
    columns: columnBytes,
  };
  for (const part of ['main', 'wal', 'columns'] as const) {
    meter.gauge('event_query_store_size_bytes', { part }, () => orNothing(sizes[part]));
  }
  meter.gauge('event_query_store_free_bytes', {}, () => orNothing(() => freeOf(file)));
}

/** A file that is away, locked or damaged has no size now. */
function orNothing(read: () => number): number | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
