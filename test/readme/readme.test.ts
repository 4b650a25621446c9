import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { PLANS } from '../../src/core/access/plan.ts';
import { readPage, sectionOf, SECTIONS } from './sections.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const readme = readFileSync(`${root}README.md`, 'utf8');

describe('the README says what the code does', () => {
  it.each(SECTIONS)('$page prints the $name of the code', ({ page, name, table }) => {
    expect(sectionOf(readPage(page), name)).toBe(table());
  });

  it('its plans have the limits of the code', () => {
    const { builder, growth, scale } = PLANS;
    for (const { name, limits } of [builder, growth, scale]) {
      const row = new RegExp(`^\\| ${name} \\| ${limits.perMinute} \\| ${limits.perDay} \\|$`, 'im');
      expect(readPage('src/core/http/README.md')).toMatch(row);
    }
  });

  it('its two commands are what package.json can run', () => {
    const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as { scripts: object };
    expect(readme).toContain('npm ci && npm start');
    expect(readme).toContain('npm ci && npm test');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(['start', 'test']));
  });
});
