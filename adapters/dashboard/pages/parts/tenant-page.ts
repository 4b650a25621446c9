import type { TenantAnswer } from '../../../../src/transport-kit.ts';

/** What a page of one tenant is told. */
export interface TenantPageProps {
  readonly tenant: TenantAnswer;
  /** Asks for the tenants again, after one was changed. */
  readonly reload: () => void;
}
