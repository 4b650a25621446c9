import { readFileSync } from 'node:fs';
import { projectFiles, ROOT } from '../tidy/sources.ts';
import { readInstructions } from './libraries.ts';

/** An instruction with its arguments split as its kind needs them. */
export interface Step {
  readonly keyword: string;
  /** The arguments as written. */
  readonly text: string;
  readonly flags: Readonly<Record<string, string>>;
  /** The pairs of ENV and LABEL. */
  readonly pairs: Readonly<Record<string, string>>;
  /** The words of an instruction in the form of a JSON array. */
  readonly words: readonly string[];
}

/** The text of the Dockerfile. */
export const DOCKERFILE = readFileSync(`${ROOT}adapters/cli/deploy/Dockerfile`, 'utf8');

/** The steps of the Dockerfile, in order. */
export function readSteps(): readonly Step[] {
  return readInstructions(DOCKERFILE).map((instruction) => {
    const text = instruction.getArgumentsContent() ?? '';
    const toRecord = (pairs: readonly { getName(): string; getValue(): string | null }[] = []) =>
      Object.fromEntries(pairs.map((pair) => [pair.getName(), pair.getValue() ?? '']));
    const array = text.indexOf('["');
    return {
      keyword: instruction.getKeyword(),
      text,
      flags: toRecord(instruction.getFlags?.()),
      pairs: toRecord(instruction.getProperties?.()),
      words: array === -1 ? [] : (JSON.parse(text.slice(array)) as string[]),
    };
  });
}

/** The files that reach the builder: those of the project that `.dockerignore` does not leave out. */
export function contextFiles(): string[] {
  const lines = readFileSync(`${ROOT}.dockerignore`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const [first, ...rest] = lines;
  if (first !== '*') throw new Error('.dockerignore leaves everything out first');
  const allowed = rest.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const refused = rest.filter((line) => !line.startsWith('!'));
  const odd = refused.filter((line) => !/^\*\*\/(\*\.)?\w+$/.test(line));
  if (odd.length > 0) throw new Error(`.dockerignore: this test does not read ${odd.join(', ')}`);
  const isRefused = (path: string) =>
    path
      .split('/')
      .some((name) =>
        refused.some(
          (line) => name === line.slice(3) || (line.startsWith('**/*.') && name.endsWith(line.slice(4))),
        ),
      );
  return projectFiles().filter(
    (path) => allowed.some((name) => path === name || path.startsWith(`${name}/`)) && !isRefused(path),
  );
}
