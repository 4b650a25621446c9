import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cleanEnv } from '../support/clean-env.ts';
import { findMisuse } from '../support/command-line.ts';
import { findFreePort } from '../support/free-port.ts';
import { readBlocks } from './blocks.ts';
import { readPage, ROOT } from './sections.ts';

const root = fileURLToPath(ROOT);
const blocks = readBlocks();
const inLanguage = (language: string) => blocks.filter((block) => block.language === language);

/** Commands that build, start or test the project as a whole: `.ci/run` and `test/package` run them. */
const WHOLE = /^(npm (ci|test|start|run|pack|install)\b.*|bash \.ci\/run)$/;

/** The comment behind which a block of TypeScript says what it prints. */
const PRINTS = /^\/\/ prints: (.*)$/gm;

describe('every block of code on a page is one that a test understands', () => {
  it('in a language that is run or checked', () => {
    const odd = blocks.filter(({ language }) => !['sh', 'ts', 'text'].includes(language));
    expect(odd.map(({ place, language }) => `${place}: ${language}`)).toEqual([]);
  });
});

describe('blocks of TypeScript', () => {
  let folder: string;

  beforeAll(() => {
    // Within the package, so that they find it by its name, and where the build lies, which git ignores.
    folder = mkdtempSync(join(root, 'dist', 'pages-'));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it.each(inLanguage('ts'))('$place runs on the built package, and prints what it says', ({ text }) => {
    const { outputText } = ts.transpileModule(text, {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    });
    const printed = execFileSync(process.execPath, ['--input-type=module', '--eval', outputText], {
      cwd: folder,
      encoding: 'utf8',
      timeout: 30_000,
    });
    expect(printed.trim()).toBe([...text.matchAll(PRINTS)].map(([, line = '']) => line).join('\n'));
  });
});

describe('blocks of commands', () => {
  let folder: string;
  let port: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'event-query-pages-'));
    port = await findFreePort();
    mkdirSync(join(folder, 'bin'));
    // What npx finds for whoever has installed the package.
    writeFileSync(
      join(folder, 'bin/npx'),
      `#!/bin/sh\nshift\nexec node "${join(root, 'dist/cli.js')}" "$@"\n`,
    );
    chmodSync(join(folder, 'bin/npx'), 0o755);
  });

  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const ownScripts = inLanguage('sh').flatMap(({ text }) =>
    text.split('\n').filter((line) => WHOLE.test(line)),
  );

  it('name scripts that package.json has', () => {
    const { scripts } = JSON.parse(readPage('package.json')) as { scripts: Record<string, string> };
    const names = ownScripts.flatMap((line) =>
      [...line.matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name),
    );
    expect(names.filter((name) => scripts[name] === undefined)).toEqual([]);
  });

  it.each(
    inLanguage('sh').filter(({ text }) => text.split('\n').some((line) => line !== '' && !WHOLE.test(line))),
  )('$place runs from its first to its last line, and once more in the same folder', ({ place, text }) => {
    const script = text.replaceAll('8787', String(port));
    const home = mkdtempSync(join(folder, 'run-'));
    const run = () =>
      execFileSync('bash', ['-euo', 'pipefail', '-c', toScript(script, port)], {
        cwd: home,
        encoding: 'utf8',
        timeout: 120_000,
        env: {
          ...cleanEnv(),
          PATH: `${join(folder, 'bin')}:${process.env.PATH ?? ''}`,
          PORT: String(port),
        },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
    expect(run(), place).not.toContain('"error"');
    expect(run(), place).not.toContain('"error"');
  });
});

/** The words behind the last `event-query` of a line, which is the command: others are names. */
const COMMAND = /^.*(?<=^|[ /])event-query ([a-z][^\n|&]*)$/gm;

describe('blocks of text', () => {
  it('name commands and flags of event-query that exist', () => {
    const found = inLanguage('text').flatMap(({ place, text }) =>
      [...text.matchAll(COMMAND)].flatMap(([, words = '']) => {
        const misuse = findMisuse(words.trim().split(/ +/));
        return misuse === undefined ? [] : [`${place}: ${misuse}`];
      }),
    );
    expect(found).toEqual([]);
  });
});

/** A block as one script: a server runs beside the lines behind it, and ends with them. */
function toScript(text: string, port: number): string {
  const serves = /^npx event-query (serve|demo)\b.*$/m;
  const asked = `curl -s -o /dev/null "http://127.0.0.1:${port}/healthz"`;
  const wait = `for i in $(seq 100); do ${asked} && break; sleep 0.1; done`;
  const lines = text.split('\n').filter((line) => !WHOLE.test(line));
  const end = `trap 'kill -TERM $server; wait $server || true' EXIT`;
  return lines
    .join('\n')
    .replace(serves, (line) => `${line.replace(/ &$/, '')} & server=$!\n${end}\n${wait}`);
}
