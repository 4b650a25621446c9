import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { misuse } from '../process/errors.ts';
import type { Format } from '../formats/format.ts';
import { write } from '../print/output.ts';
import { printableJson, printableLines } from '../print/printable.ts';
import { openPart } from './export-part.ts';
import { findPlace } from './export-place.ts';
import type { ExportJob, ExportSink } from './target.ts';

/**
 * Opens stdout, or the target of `name`. A file appears when it is complete; a pipe or a device is written as
 * the events come. Throws an Error when an old part is in the way or ends elsewhere, and when binary data
 * would go to a terminal.
 */
export async function openTarget(name: string | undefined, job: ExportJob): Promise<ExportSink> {
  const place = name === undefined ? { kind: 'stdout' as const } : findPlace(name);
  if (place.kind === 'stdout') return openStdout(job.format);
  return place.kind === 'file' ? openPart(place.file, job) : openStream(place.file, job.format);
}

function openStdout(format: Format): ExportSink {
  const shown = process.stdout.isTTY ? onTerminal(format) : asItIs;
  return { write: (piece) => write(shown(piece)), finish: () => undefined, close: () => Promise.resolve() };
}

type Shown = (piece: string | Uint8Array) => string | Uint8Array;

const asItIs: Shown = (piece) => piece;

/** Escapes everything that could control a terminal. */
function onTerminal(format: Format): Shown {
  if (format === 'parquet') throw misuse('Parquet is not for a terminal; say --out FILE, or pipe it');
  const printed = format === 'csv' ? printableLines : printableJson;
  return (piece) => printed(String(piece));
}

async function openStream(file: string, format: Format): Promise<ExportSink> {
  // Append, because the descriptor may refer to a file that other processes write too.
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND);
  const shown = isatty(handle.fd) ? onTerminal(format) : asItIs;
  return {
    write: (piece) => handle.writeFile(shown(piece)),
    finish: () => undefined,
    close: () => handle.close(),
  };
}
