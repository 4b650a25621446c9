import { isApiError } from '../../../src/index.ts';
import { isJsonObject, parseJsonLine } from '../../../src/internal.ts';
import { OPTION_WORDS } from '../base/options.ts';
import type { LeftOut } from './left-out.ts';
import { LINE_BYTES_MAX, toLines } from './lines.ts';

/** A line as Docker's json-file driver writes it. */
interface DockerLine {
  readonly log: string;
  readonly stream?: string;
}

/** What is beside the line of a program. */
const BESIDE = ['stream', 'time', 'attrs'];

/** Whether a line is one that Docker wrote around the line of a program. */
export function isDockerLine(line: string): boolean {
  return parseDockerLine(line) !== undefined;
}

function parseDockerLine(line: string): DockerLine | undefined {
  if (!line.startsWith('{"')) return undefined;
  const value = parseJsonLine(line);
  if (isApiError(value) || !isJsonObject(value)) return undefined;
  const { log, time, ...others } = value;
  if (typeof log !== 'string' || typeof time !== 'string') return undefined;
  return Object.keys(others).every((key) => BESIDE.includes(key))
    ? (value as unknown as DockerLine)
    : undefined;
}

/**
 * Takes the lines of a program out of those that Docker wrote around them. A long line is in several, the
 * last of which ends it; those of stdout and stderr may alternate.
 */
export async function* fromDocker(source: AsyncIterable<Buffer>, leftOut: LeftOut): AsyncGenerator<Buffer> {
  const open = new Map<string, string>();
  // What is wrong with a line is said of those that were within these.
  for await (const line of toLines(source, OPTION_WORDS)) {
    const found = 'text' in line ? parseDockerLine(line.text) : undefined;
    if (found === undefined) {
      // What is no line of Docker goes on as it is, so that it is refused by itself.
      yield 'text' in line ? Buffer.from(`${line.text}\n`) : UNREADABLE;
      continue;
    }
    for (const key of BESIDE)
      if (Object.hasOwn(found, key)) leftOut.add(`${key} that Docker wrote beside a line`);
    const { log, stream = '' } = found;
    const text = (open.get(stream) ?? '') + log;
    const isEnd = text.endsWith('\n') || text.length > LINE_BYTES_MAX;
    open.set(stream, isEnd ? '' : text);
    if (isEnd) yield Buffer.from(text.endsWith('\n') ? text : `${text}\n`);
  }
  for (const text of open.values()) if (text !== '') yield Buffer.from(`${text}\n`);
}

/** A line that no reader takes for one. */
const UNREADABLE = Buffer.from([0xff, 0x0a]);
