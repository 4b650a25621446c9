import { isIntactChunk, LogGoneError, type SavedChunk } from '../../../src/store-kit.ts';
import type { SqliteDatabase } from '../file/database.ts';
import { createFileWatch } from '../file/watch.ts';
import { prepareLogs } from '../log/event-log.ts';
import { toChunksId } from '../log/log-name.ts';
import { createRecentEvents } from '../log/recent-events.ts';
import { bytesOfChunk, SELECT_CHUNK } from '../writes/chunks.ts';
import type { CatalogueLog } from './events.ts';
import { toFinding, type FileFinding } from './finding.ts';
import { describeRanges } from './ranges.ts';

/** A path of a log, and the size of its chunks as the catalogue has it. */
interface ListedPath {
  readonly path: string;
  readonly bytes: number | null;
}

/** Prepares the comparison of a log's stored columns with the rows that they were made from. */
export function prepareCheckColumns(database: SqliteDatabase): (log: CatalogueLog) => FileFinding[] {
  const openLog = prepareLogs(database, { watch: createFileWatch(database), recent: createRecentEvents(0) });
  const selectPaths = database.prepare(
    `SELECT path, sum(bytes) AS bytes FROM (
       SELECT path, bytes FROM column_paths WHERE log = ?
       UNION ALL SELECT DISTINCT path, NULL FROM column_chunks WHERE log = ?)
     GROUP BY path ORDER BY path`,
  );
  const selectNumbers = database.prepare(
    'SELECT chunk FROM column_chunks WHERE log = ? AND path = ? ORDER BY chunk',
  );
  const selectChunk = database.prepare(SELECT_CHUNK);
  return (log) => {
    const id = toChunksId(log);
    const rows = openLog(log);
    const findings: FileFinding[] = [];
    for (const { path, bytes } of selectPaths.all(id, id) as ListedPath[]) {
      let found = 0;
      const bad: number[] = [];
      for (const { chunk } of selectNumbers.all(id, path) as { chunk: number }[]) {
        const saved = selectChunk.get(id, path, chunk) as SavedChunk;
        found += bytesOfChunk(saved);
        if (!isIntact(() => isIntactChunk(rows, { path, segment: chunk }, saved))) bad.push(chunk);
      }
      const where = `the column ${path} of ${log.tenant}`;
      if (bad.length > 0)
        findings.push(
          toFinding(
            'columns',
            `chunks ${describeRanges(bad)} of ${where} do not fit its events`,
            log.tenantId,
          ),
        );
      if (found !== (bytes ?? 0))
        findings.push(
          toFinding(
            'columnSizes',
            `${where} has ${found} bytes, and the catalogue counts ${bytes ?? 0}`,
            log.tenantId,
          ),
        );
    }
    return findings;
  };
}

/** A chunk of rows that are not there fits nothing. */
function isIntact(look: () => boolean): boolean {
  try {
    return look();
  } catch (error) {
    if (error instanceof LogGoneError) return false;
    throw error;
  }
}
