import { who } from './api.ts';

/** Whether who is signed in may change a tenant. */
export function mayChange(alias: string): boolean {
  const administers = who.value?.administers;
  return administers === null || administers?.includes(alias) === true;
}

/** Whether they may make and delete tenants, and change plans. */
export const mayOwn = (): boolean => who.value?.administers === null;
