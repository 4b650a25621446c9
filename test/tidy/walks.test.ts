import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { ADMIN_ROUTES } from '../../src/core/http/admin-routes.ts';
import { ROUTES } from '../../src/core/http/route.ts';
import { ROOT } from './sources.ts';

/** The files that a request of each kind enters. */
const walks = JSON.parse(
  execFileSync(
    process.execPath,
    ['--import', 'tsx', fileURLToPath(new URL('./walks/walked.ts', import.meta.url))],
    { cwd: ROOT, encoding: 'utf8' },
  ),
) as Readonly<Record<string, readonly string[]>>;

describe('the engine is on the way to the store', () => {
  it.each(Object.entries(walks))('of %s', (_name, entered) => {
    expect(entered).toContain('src/core/engine/engine.ts');
  });

  it('of every question that both APIs take', () => {
    const questions = ROUTES.filter(({ caller }) => caller === 'key').map(({ name }) => name);
    const ofAdmins = questions.filter((name) => ADMIN_ROUTES.some((route) => route.name === name));
    const asked = [...questions, ...ofAdmins.map((name) => `admin ${name}`), 'append', 'erase'];
    expect(Object.keys(walks).sort()).toEqual(asked.sort());
  });
});

/** What the walks of the page leave out, since it depends on how long something takes. */
const LEFT_OUT = new RegExp(
  '^(?:src/core/bounds/|adapters/sqlite/file/(?!database)|adapters/node-http/(?:listener|limits/reports))',
);

const PAGE = 'src/README.md';

/** The files that the tables of a section name; a name alone lies in the folder of the one before. */
function namedBelow(heading: string): string[] {
  const sections = readFileSync(ROOT + PAGE, 'utf8').split(/^#{2,3} /m);
  const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
  let folder = '';
  return [...section.matchAll(/^\|.*$/gm)]
    .flatMap(([row]) => [...row.matchAll(/`([\w/.-]+\.ts)`/g)])
    .map(([, name = '']) => {
      const path = name.startsWith('core/') ? `src/${name}` : name.includes('/') ? name : folder + name;
      folder = path.slice(0, path.lastIndexOf('/') + 1);
      return path;
    });
}

describe(`the walks of ${PAGE}`, () => {
  it.each([
    ['count', 'A filter’s operand, from bytes to count'],
    ['append', 'An event, from bytes to disk'],
  ])('name the files that a request enters: %s', (name, heading) => {
    const named = [...namedBelow('Every request'), ...namedBelow(heading)];
    expect([...new Set(named)]).toHaveLength(named.length);
    expect(named.sort()).toEqual(walks[name]!.filter((path) => !LEFT_OUT.test(path)));
  });
});
