import { who } from './api.ts';

/** Whether who is signed in may change a tenant. */
export const mayChange = (): boolean => who.value?.role === 'admin';

/** Whether they may make and delete tenants, and change plans. */
export const mayOwn = (): boolean => mayChange() && who.value?.tenants === null;
