import { readFileSync } from 'node:fs';
import { noteTerminal, STDIN } from '../print/output.ts';

/** Reads the text of a file; `-` is stdin, of which a person at a terminal is told that `what` is read. */
export function readText(file: string, what: string): string {
  if (file === '-') noteTerminal(what);
  return readFileSync(file === '-' ? STDIN : file, 'utf8');
}
