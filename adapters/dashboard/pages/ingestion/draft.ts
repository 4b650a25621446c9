import { signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { JwtSettings } from '../../../../src/store-kit.ts';
import type { TenantAnswer } from '../../../../src/transport-kit.ts';

/** What is chosen for how a tenant's senders prove themselves. */
export interface Strategy {
  readonly authStrategy: TenantAnswer['authStrategy'];
  readonly jwt: JwtSettings;
}

/** What was chosen for tenants, by their ids, and is not saved: who looks at another page finds it again. */
const drafts = signal<Readonly<Record<string, Strategy>>>({});

const savedOf = ({ authStrategy, jwt }: TenantAnswer): Strategy => ({
  authStrategy,
  jwt: jwt ?? { issuer: '', audience: '', jwksUrl: '' },
});

/** What is chosen for a tenant, whether that differs from what is saved, and the way to choose. */
export function useDraft(tenant: TenantAnswer) {
  const saved = savedOf(tenant);
  const chosen = drafts.value[tenant.id] ?? saved;
  const isUnsaved = JSON.stringify(chosen) !== JSON.stringify(saved);
  const keep = (draft: Strategy | undefined) => {
    const others = Object.entries(drafts.value).filter(([id]) => id !== tenant.id);
    drafts.value = Object.fromEntries(draft === undefined ? others : [...others, [tenant.id, draft]]);
  };
  useEffect(() => {
    if (!isUnsaved) {
      // What others save meanwhile is no choice of who looks on.
      keep(undefined);
      return;
    }
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    addEventListener('beforeunload', ask);
    return () => removeEventListener('beforeunload', ask);
  }, [isUnsaved]);
  return {
    chosen,
    isUnsaved,
    choose: (changes: Partial<Strategy>) => keep({ ...chosen, ...changes }),
    discard: () => keep(undefined),
    /** Takes what was saved, as the server has it, until the page is told of it by itself. */
    accept: (answer: TenantAnswer) => keep(savedOf(answer)),
  };
}
