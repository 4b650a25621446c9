import { expect, it } from 'vitest';
import { boundConnections } from '../../../../adapters/cli/server/descriptors.ts';

const limits = (soft: string) =>
  `Limit                     Soft Limit           Hard Limit           Units\n` +
  `Max open files            ${soft.padEnd(20)} 1048576              files\n`;

it.each([
  [limits('1500'), 1300],
  [limits('1048576'), 10_000],
  [limits('unlimited'), 10_000],
  [limits('64'), 16],
  ['', 10_000],
])('a server holds no more connections than its process may open files, less its own', (text, most) => {
  expect(boundConnections(10_000, text)).toBe(most);
});
