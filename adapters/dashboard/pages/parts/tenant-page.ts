import type { TenantAnswer } from '../../../../src/transport-kit.ts';

/** The properties of a page of one tenant. */
export interface TenantPageProps {
  readonly tenant: TenantAnswer;
  /** Loads the tenants again after a change. */
  readonly reload: () => void;
}
