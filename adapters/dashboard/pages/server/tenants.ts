import type { TenantAnswer } from '../../../../src/admin-api.ts';
import { ask } from './api.ts';

/** How many tenants one answer of the server holds at most. */
const PAGE_SIZE = 1_000;

/** All tenants that the user may see, by alias. */
export async function loadTenants(signal: AbortSignal): Promise<readonly TenantAnswer[]> {
  const tenants: TenantAnswer[] = [];
  let path = 'tenants';
  for (;;) {
    const page = await ask<TenantAnswer[]>(path, undefined, { signal });
    tenants.push(...page);
    if (page.length < PAGE_SIZE) return tenants;
    path = `tenants?after=${page.at(-1)!.alias}`;
  }
}
