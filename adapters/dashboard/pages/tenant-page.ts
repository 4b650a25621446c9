import type { Tenant } from './server/answers.ts';

/** What a page of one tenant is told. */
export interface TenantPageProps {
  readonly tenant: Tenant;
  /** Asks for the tenants again, after one was changed. */
  readonly reload: () => void;
}
