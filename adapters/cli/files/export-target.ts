import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { isatty } from 'node:tty';
import { writeJson } from '../print/output.ts';
import { printableJson } from '../print/printable.ts';
import { openPart } from './export-part.ts';
import { findPlace } from './export-place.ts';
import type { Job, Target } from './target.ts';

const STDOUT: Target = { write: writeJson, finish: () => undefined, close: () => Promise.resolve() };

/**
 * Opens stdout, or what `name` means: a file appears when it is whole, and anything else is written as the
 * events come and stays what it is. Throws an Error where a part is in the way, or ends elsewhere.
 */
export async function openTarget(name: string | undefined, job: Job): Promise<Target> {
  if (name === undefined) return STDOUT;
  const place = findPlace(name);
  if (place.kind === 'stdout') return STDOUT;
  return place.kind === 'file' ? openPart(place.file, job) : openStream(place.file);
}

async function openStream(file: string): Promise<Target> {
  // It appends, because a descriptor may be of a file that others write to as well.
  const handle = await open(file, constants.O_WRONLY | constants.O_APPEND);
  const onTerminal = isatty(handle.fd);
  return {
    write: (text) => handle.writeFile(onTerminal ? printableJson(text) : text),
    finish: () => undefined,
    close: () => handle.close(),
  };
}
