import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The compiler as whoever follows our examples starts it: strict, and with nothing of ours. */
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  allowImportingTsExtensions: true,
  types: ['node'],
  typeRoots: [`${ROOT}node_modules/@types`],
  paths: {
    'event-query': [`${ROOT}src/index.ts`],
    'event-query/store-kit': [`${ROOT}src/store-kit.ts`],
    'event-query/transport-kit': [`${ROOT}src/transport-kit.ts`],
    'event-query/conformance': [`${ROOT}test/conformance/index.ts`],
    'event-query/*': [`${ROOT}adapters/*/index.ts`],
  },
};

/** Examples that were compiled together, which takes as long as one: each is a module of its own. */
export interface Examples {
  readonly checker: ts.TypeChecker;
  /** A file of the program, by its path in the project; an example has its name. */
  file(name: string): ts.SourceFile;
  /** What the compiler has to say against an example: a message for each line that is wrong. */
  faultsOf(name: string): string[];
}

/** Compiles examples by name, which import the package by its name. */
export function compileExamples(examples: ReadonlyMap<string, string>): Examples {
  // They stand for the compiler beside the package, as the program of whoever embeds it.
  const names = [...examples.keys()];
  const pathOf = (name: string) =>
    names.includes(name) ? `${ROOT}example-${names.indexOf(name)}.mts` : `${ROOT}${name}`;
  const texts = new Map([...examples].map(([name, text]) => [pathOf(name), text]));
  const host = ts.createCompilerHost(OPTIONS);
  const files = ts.createCompilerHost(OPTIONS);
  host.fileExists = (path) => texts.has(path) || files.fileExists(path);
  host.readFile = (path) => texts.get(path) ?? files.readFile(path);
  const program = ts.createProgram([...texts.keys()], OPTIONS, host);

  function file(name: string): ts.SourceFile {
    const source = program.getSourceFile(pathOf(name));
    if (source === undefined) throw new Error(`${name} is missing`);
    return source;
  }

  function faultsOf(name: string): string[] {
    const source = file(name);
    const found = [...program.getSyntacticDiagnostics(source), ...program.getSemanticDiagnostics(source)];
    return found.map(({ messageText, start = 0 }) => {
      const line = source.getLineAndCharacterOfPosition(start).line + 1;
      return `${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
    });
  }

  return { checker: program.getTypeChecker(), file, faultsOf };
}
