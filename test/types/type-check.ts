import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Where the example stands for the compiler: beside the package, as the program of whoever embeds it. */
const EXAMPLE = `${ROOT}example.mts`;

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
    'event-query/conformance': [`${ROOT}test/conformance/index.ts`],
    'event-query/*': [`${ROOT}adapters/*/index.ts`],
  },
};

let previous: ts.Program | undefined;

/** A program of one example, which imports the package by its name. */
export function programOf(source: string): ts.Program {
  const host = ts.createCompilerHost(OPTIONS);
  const files = ts.createCompilerHost(OPTIONS);
  host.fileExists = (path) => path === EXAMPLE || files.fileExists(path);
  host.readFile = (path) => (path === EXAMPLE ? source : files.readFile(path));
  host.getSourceFile = (path, ...rest) =>
    path === EXAMPLE
      ? ts.createSourceFile(path, source, ts.ScriptTarget.ES2022)
      : (previous?.getSourceFile(path) ?? files.getSourceFile(path, ...rest));
  previous = ts.createProgram([EXAMPLE], OPTIONS, host, previous);
  return previous;
}

/** What the compiler has to say against an example: a message for each line that is wrong. */
export function faultsOf(source: string): string[] {
  const program = programOf(source);
  const example = program.getSourceFile(EXAMPLE);
  if (example === undefined) throw new Error('the example is missing');
  const found = [...program.getSyntacticDiagnostics(example), ...program.getSemanticDiagnostics(example)];
  return found.map(({ messageText, start = 0 }) => {
    const line = example.getLineAndCharacterOfPosition(start).line + 1;
    return `${line}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
  });
}
