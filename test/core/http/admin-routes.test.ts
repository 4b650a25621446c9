import { expect, it } from 'vitest';
import { ADMIN_ROUTES } from '../../../src/core/http/admin-routes.ts';

it('who looks changes nothing, and who administers some tenants makes none', () => {
  const of = (caller: string) =>
    ADMIN_ROUTES.filter((route) => route.caller === caller).map(({ name }) => name);
  expect(of('owner')).toEqual(['createTenant', 'deleteTenant', 'resetLimits']);
  expect(of('admin')).toEqual([
    'invite',
    'setTenant',
    'createKey',
    'setKey',
    'rotateKey',
    'revokeKey',
    'setConfig',
    'unsetConfig',
    'checkToken',
    'clearRefusals',
    'eraseEvents',
    'createMark',
    'deleteMark',
  ]);
  expect(of('anyone')).toEqual(['signIn', 'waysToSignIn', 'beginSignIn']);
});
