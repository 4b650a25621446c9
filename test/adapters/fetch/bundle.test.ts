import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bundleFor } from '../../runtimes/bundle.ts';
import { CASES, type Case, type Seen, ZONED_QUESTIONS } from '../../runtimes/cases.ts';
import { serve } from '../../runtimes/program.ts';

/** Imports the bundle, sends the requests of its input and prints the answers. */
const ASKER = `
  const { readFileSync } = await import('node:fs');
  const { cases, bundle } = JSON.parse(readFileSync(0, 'utf8'));
  const bytesOf = (body) => new Uint8Array(Buffer.from(body, 'base64'));
  const inits = cases.map(({ body, method, headers }) =>
    body === undefined ? { method, headers } : { method, headers, body: bytesOf(body) });
  let generates = true;
  try { new Function('return 1')(); } catch { generates = false; }
  const { serve } = await import(bundle);
  const seen = [];
  for (const [i, { name, path }] of cases.entries()) {
    const response = await serve(new Request('http://127.0.0.1' + path, inits[i]));
    seen.push({ name, status: response.status, body: await response.text() });
  }
  console.log(JSON.stringify({ generates, seen }));
`;

type Told = Pick<Seen, 'name' | 'status' | 'body'>;

async function askHere({ name, path, method, headers, body }: Case): Promise<Told> {
  const init = body === undefined ? {} : { body: Buffer.from(body, 'base64') };
  const response = await serve(new Request(`http://127.0.0.1${path}`, { method, headers, ...init }));
  return { name, status: response.status, body: await response.text() };
}

describe('the core, the fetch handler and the memory store in one file for browsers', () => {
  let folder: string;
  let modules: string[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'event-query-bundle-'));
    const { text, inputs } = await bundleFor('export { serve };');
    writeFileSync(join(folder, 'bundle.mjs'), text);
    modules = Object.keys(inputs);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('contain nothing of Node', () => {
    expect(modules.filter((path) => /node-http|sqlite|^node:/.test(path))).toEqual([]);
    const packages = modules.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    const known = ['fast-json-stable-stringify', 'fastest-levenshtein'];
    expect([...new Set(packages)].sort()).toEqual(known);
  });

  it('answer without Node’s globals, and where code may not be generated, as here', async () => {
    const flags = ['--disallow-code-generation-from-strings', '--input-type=module', '--eval', ASKER];
    const input = JSON.stringify({ cases: CASES, bundle: pathToFileURL(join(folder, 'bundle.mjs')).href });
    const output = execFileSync(process.execPath, flags, { input, encoding: 'utf8', maxBuffer: 20_000_000 });
    const { generates, seen } = JSON.parse(output) as { generates: boolean; seen: Told[] };
    expect(generates).toBe(false);
    const expected: Told[] = [];
    for (const asked of CASES) expected.push(await askHere(asked));
    expect(seen).toEqual(expected);
    expect(expected.filter(({ status }) => status === 200)).toHaveLength(10 + ZONED_QUESTIONS.length);
  });
});
