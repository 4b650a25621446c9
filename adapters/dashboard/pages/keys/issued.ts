import { signal } from '@preact/signals';
import type { FunctionComponent } from 'preact';
import type { IssuedKeyAnswer } from '../../../../src/admin-api.ts';

/** A key of a tenant with its secret, which is stored nowhere else. */
export interface Issued extends IssuedKeyAnswer {
  readonly alias: string;
}

/** The secret on display. It is gone once its view closes. */
export const issued = signal<Issued | undefined>(undefined);

/**
 * The view of a secret. The page of keys sets it: a secret that was made must not wait for code, which a
 * server may no longer have.
 */
export const issuedView = signal<FunctionComponent<{ readonly issued: Issued }> | undefined>(undefined);

const STORED = 'event-query-unsaved';
/** How many ids are kept. The limit drops ids of keys that another user revoked and that no user confirms. */
const IDS_MAX = 20;

/**
 * The ids of the keys whose secret this browser showed, until the user confirms that it is saved. A window
 * can close despite the question; the user then sees these keys at the next visit.
 */
export const unsaved = signal<readonly string[]>(readStored());

/** Shows a secret once. A public write key cannot be lost, since the list shows it again. */
export function show(next: Issued): void {
  issued.value = next;
  if (next.key.restrictions !== null) return;
  store([...unsaved.value.filter((id) => id !== next.key.id), next.key.id]);
}

/** Removes a key from `unsaved`: its secret is saved or no longer valid. */
export function settle(id: string): void {
  if (issued.value?.key.id === id) issued.value = undefined;
  store(unsaved.value.filter((each) => each !== id));
}

function store(ids: readonly string[]): void {
  unsaved.value = ids.slice(-IDS_MAX);
  try {
    localStorage.setItem(STORED, JSON.stringify(unsaved.value));
  } catch {
    // Without storage, the ids last until the user leaves the page.
  }
}

function readStored(): readonly string[] {
  try {
    const found: unknown = JSON.parse(localStorage.getItem(STORED) ?? '[]');
    return Array.isArray(found) ? found.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
