import { readFileSync } from 'node:fs';
import { isApiError } from '../../../src/index.ts';
import { parseQueryBody } from '../../../src/internal.ts';

/** Judges the bodies on its standard input, a line each, in a process that may not generate code. */
function refusalOf(line: string): string {
  try {
    parseQueryBody(JSON.parse(line));
    return 'accepted';
  } catch (error) {
    return isApiError(error) ? error.message : String(error);
  }
}

function codeGeneration(): string {
  try {
    // The very thing that is forbidden here.
    // eslint-disable-next-line @typescript-eslint/no-implied-eval
    return typeof new Function('return 1');
  } catch (error) {
    return (error as Error).name;
  }
}

const refusals = readFileSync(0, 'utf8').split('\n').map(refusalOf);
console.log(JSON.stringify({ refusals, codeGeneration: codeGeneration() }));
