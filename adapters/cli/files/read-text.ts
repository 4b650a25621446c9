import { noteTerminal, STDIN } from '../print/output.ts';
import { readTextFile } from '../values/text-file.ts';

/** Reads the text of a file; `-` is stdin, of which a person at a terminal is told that `what` is read. */
export function readText(file: string, what: string): string {
  if (file === '-') noteTerminal(what);
  return readTextFile(file === '-' ? STDIN : file);
}
