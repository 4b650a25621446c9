import { readFileSync } from 'node:fs';

/** Reads the text of a file, without the byte order mark that editors of Windows put before it. */
export function readTextFile(file: string | number): string {
  return readFileSync(file, 'utf8').replace(/^\ufeff/, '');
}
