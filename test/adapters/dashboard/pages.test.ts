import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { SHORTCUTS } from '../../../adapters/dashboard/pages/shortcuts/table.ts';
import { VIEWS } from '../../dashboard/views.ts';

const folder = new URL('../../../adapters/dashboard/', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, folder), 'utf8');

/** The rows of the menu. They are read as text: the pages themselves run in a browser only. */
const pages = [...read('pages/shell.tsx').matchAll(/\{ page: '(\w+)', title: '([\w ]+)',/g)].map(
  ([, page = '', title = '']) => ({ page, title }),
);

it('the menu has pages', () => {
  expect(pages.map(({ page }) => page)).toContain('explore');
});

it.each(pages)('$title is looked at in a browser, and stands on the page of the dashboard', (each) => {
  expect(Object.keys(VIEWS)).toContain(each.page);
  expect(read('README.md')).toMatch(new RegExp(`^\\| ([A-Z]\\w+, )*${each.title}\\b`, 'm'));
});

it('each key that acts stands on the page of the dashboard, and acts once', () => {
  const rows = [...read('README.md').matchAll(/^\| (`.*`) \|/gm)].map(([, keys = '']) => keys);
  for (const { key, isCommand = false } of SHORTCUTS) {
    const written = isCommand ? `\`Ctrl\` \`${key.toUpperCase()}\`` : `\`${key}\``;
    expect(rows.filter((row) => row.split(', ').some((each) => each === written))).toHaveLength(1);
  }
});
