import { describe, expect, it } from 'vitest';
import { rightsOf, type RoleRule } from '../../../src/core/identity/rights.ts';

const RULES: readonly RoleRule[] = [
  { value: 'root', role: 'admin', aliases: null },
  { value: 'all', role: 'viewer', aliases: null },
  { value: 'a', role: 'admin', aliases: ['shop'] },
  { value: 'b', role: 'viewer', aliases: ['shop', 'outlet'] },
  { value: 'c', role: 'admin', aliases: ['gone'] },
];
const TENANTS: Readonly<Record<string, string>> = { shop: '1', outlet: '2' };
const find = (alias: string) => {
  const id = TENANTS[alias];
  return Promise.resolve(id === undefined ? undefined : { id });
};

describe('what the values of a claim give', () => {
  it.each([
    [[], undefined],
    [['Root', 'root ', 'rooted', '', '*', '__proto__'], undefined],
    [['c'], undefined],
    [['b'], { role: 'viewer', tenantIds: ['1', '2'], viewedIds: [] }],
    [['all', 'b'], { role: 'viewer', tenantIds: null, viewedIds: [] }],
    [['a'], { role: 'admin', tenantIds: ['1'], viewedIds: [] }],
    [['a', 'b'], { role: 'admin', tenantIds: ['1'], viewedIds: ['1', '2'] }],
    [['all', 'a', 'c'], { role: 'admin', tenantIds: ['1'], viewedIds: null }],
    [['x', 'root'], { role: 'admin', tenantIds: null, viewedIds: [] }],
  ])('%j', async (values, rights) => {
    expect(await rightsOf(values, RULES, find)).toEqual(rights);
    expect(await rightsOf(values, [], find)).toBeUndefined();
  });
});
