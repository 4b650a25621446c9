import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { VIEWS } from '../../dashboard/views.ts';

const folder = new URL('../../../adapters/dashboard/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');

/** The rows of the menu. They are read as text: the pages themselves run in a browser only. */
const pages = [...read('pages/shell.tsx').matchAll(/ page: '(\w+)',\s+title: '([\w ]+)',/g)].map(
  ([, page = '', title = '']) => ({ page, title }),
);

it('the menu has pages', () => {
  expect(pages.map(({ page }) => page)).toContain('explore');
});

it.each(pages)('$title is looked at in a browser, and stands on the page of the dashboard', (each) => {
  expect(Object.keys(VIEWS)).toContain(each.page);
  expect(read('README.md')).toMatch(new RegExp(`^\\| ([A-Z]\\w+, )*${each.title}\\b`, 'm'));
});

it('each key that acts stands on the page of the dashboard', () => {
  const rows = [...read('README.md').matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, keys = '']) =>
    keys.split(', '),
  );
  const keys = [...read('pages/shortcuts/table.ts').matchAll(/ key: '(.)',( isCommand: true)?/g)];
  expect(keys.length).toBeGreaterThan(5);
  for (const [, key = '', command] of keys) {
    const said = command === undefined ? `\`${key}\`` : `\`Ctrl\` \`${key.toUpperCase()}\``;
    expect(rows).toContain(said);
  }
});
