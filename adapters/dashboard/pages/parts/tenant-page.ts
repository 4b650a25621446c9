import type { TenantAnswer } from '../../../../src/admin-api.ts';

/** The properties of a page of one tenant. */
export interface TenantPageProps {
  readonly tenant: TenantAnswer;
  /** Loads the tenants again after a change. */
  readonly reload: () => void;
}
