import { closeSync, openSync, writeSync } from 'node:fs';
import { sampleEvents } from '../events.ts';

/** Writes the sample events as NDJSON for the engines that read files: the properties are one JSON text. */
export function exportRows(file: string, rows: number): void {
  const out = openSync(file, 'w');
  let lines: string[] = [];
  for (const { eventTs, insertId, eventName, userId, propertiesJson } of sampleEvents(rows)) {
    lines.push(
      JSON.stringify({
        ts: eventTs,
        insert_id: insertId,
        name: eventName,
        user_id: userId,
        props: propertiesJson,
      }),
    );
    if (lines.length === 10_000) {
      writeSync(out, `${lines.join('\n')}\n`);
      lines = [];
    }
  }
  if (lines.length > 0) writeSync(out, `${lines.join('\n')}\n`);
  closeSync(out);
}
