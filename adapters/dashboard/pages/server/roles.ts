import { who } from './api.ts';

/** Whether the signed-in user may change a tenant. */
export function mayChange(alias: string): boolean {
  const administers = who.value?.administers;
  return administers === null || administers?.includes(alias) === true;
}

/** Whether the signed-in user may create and delete tenants, and change plans. */
export const mayOwn = (): boolean => who.value?.administers === null;
