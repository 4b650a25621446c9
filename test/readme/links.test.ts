import { existsSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { expect, it } from 'vitest';
import { projectFiles, ROOT } from '../tidy/sources.ts';

const pages = projectFiles().filter((path) => path.endsWith('.md'));

/** The text of a page without its blocks of code, in which `#` begins a comment. */
const proseOf = (page: string) => readFileSync(ROOT + page, 'utf8').replace(/^```[\s\S]*?^```/gm, '');

/** The anchors of a page: GitHub makes one of each heading, and numbers those that repeat. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const words = heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const anchor = words.replace(/[^\p{L}\p{N} _-]/gu, '').replaceAll(' ', '-');
    let name = anchor;
    for (let i = 1; anchors.has(name); i++) name = `${anchor}-${i}`;
    anchors.add(name);
  }
  return anchors;
}

/** The links of a page to files and headings of this project. */
const linksOf = (page: string) =>
  [...proseOf(page).matchAll(/\]\(([^()\s]+)\)/g)]
    .map(([, link = '']) => link)
    .filter((link) => !/^[a-z]+:/.test(link));

function leadsSomewhere(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? page : posix.join(posix.dirname(page), path);
  if (!existsSync(ROOT + target)) return false;
  return anchor === undefined || anchorsOf(target).has(anchor);
}

it.each(pages)('the links of %s lead to files and headings that are there', (page) => {
  expect(linksOf(page).filter((link) => !leadsSomewhere(page, link))).toEqual([]);
});

it('finds the links', () => {
  expect(pages.flatMap(linksOf).length).toBeGreaterThan(200);
});
