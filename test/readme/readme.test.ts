import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readPage, sectionOf, SECTIONS } from './sections.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');

describe('the README says what the code does', () => {
  it.each(SECTIONS)('$page prints the $name of the code', ({ page, name, table }) => {
    expect(sectionOf(readPage(page), name)).toBe(table());
  });

  it('its two commands are what package.json can run', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: object };
    expect(readme).toContain('npm ci && npm start');
    expect(readme).toContain('npm ci && npm test');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']));
  });
});
