import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { projectFiles, ROOT } from './sources.ts';

const PAGE = 'src/README.md';
const text = readFileSync(ROOT + PAGE, 'utf8');

/** A path from one of these folders; a name that somebody chooses is written NAME, any name as a star. */
const PATH = /`((?:core|adapters|test|src|bench|\.config|\.ci)\/[\w./*-]+)`/g;
/** A file alone: the walks name several of one folder. */
const FILE = /`([\w-]+\.tsx?)`/g;

const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, name = '']) => name);

/** Whether a path is there, from the root of the project or from the sources. */
function isThere(path: string): boolean {
  const chosen = path.search(/\*|\bNAME\b/);
  const fixed = chosen === -1 ? path : path.slice(0, path.lastIndexOf('/', chosen));
  return [fixed, `src/${fixed}`].some((place) => existsSync(ROOT + place));
}

it(`${PAGE} names files and folders that are there`, () => {
  expect(named(PATH).length).toBeGreaterThan(50);
  expect(named(PATH).filter((path) => !isThere(path))).toEqual([]);
});

it(`${PAGE} names files alone that are somewhere`, () => {
  const files = new Set(projectFiles().map((path) => posix.basename(path)));
  expect(named(FILE).filter((name) => !files.has(name))).toEqual([]);
});
