import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { useUnsaved } from '../parts/use-unsaved.ts';
import type { JwtSettings } from '../../../../src/store-kit.ts';
import type { TenantAnswer } from '../../../../src/admin-api.ts';

/** The chosen authentication of a tenant's senders. */
export interface Strategy {
  readonly authStrategy: TenantAnswer['authStrategy'];
  readonly jwt: JwtSettings;
}

/** The unsaved choices by tenant id. A user who visits another page finds them again. */
const drafts = signal<Readonly<Record<string, Strategy>>>({});

const savedOf = ({ authStrategy, jwt }: TenantAnswer): Strategy => ({
  authStrategy,
  jwt: jwt ?? { issuer: '', audience: '', jwksUrl: '' },
});

/** The choice for a tenant, whether it differs from the saved one, and the functions that change it. */
export function useDraft(tenant: TenantAnswer) {
  const saved = savedOf(tenant);
  const chosen = drafts.value[tenant.id] ?? saved;
  const isUnsaved = JSON.stringify(chosen) !== JSON.stringify(saved);
  const keep = (draft: Strategy | undefined) => {
    const others = Object.entries(drafts.value).filter(([id]) => id !== tenant.id);
    drafts.value = Object.fromEntries(draft === undefined ? others : [...others, [tenant.id, draft]]);
  };
  const form = { title: 'Authentication', page: 'authentication', alias: tenant.alias };
  const discard = () => keep(undefined);
  useUnsaved(`${tenant.id}/authentication`, isUnsaved ? { ...form, discard } : undefined);
  useEffect(() => {
    // Settings that another user saves meanwhile do not become this user's choice.
    if (!isUnsaved) discard();
  }, [isUnsaved]);
  return {
    chosen,
    isUnsaved,
    choose: (changes: Partial<Strategy>) => keep({ ...chosen, ...changes }),
    discard,
    /** Keeps the saved settings, as the server answered them, until the page has loaded them. */
    accept: (answer: TenantAnswer) => keep(savedOf(answer)),
  };
}
