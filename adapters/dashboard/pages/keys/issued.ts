import { signal } from '@preact/signals';
import type { IssuedKeyAnswer } from '../../../../src/transport-kit.ts';

/** A key of a tenant with its secret, which is nowhere else. */
export interface Issued extends IssuedKeyAnswer {
  readonly alias: string;
}

/** The secret that is shown now; it goes with the view that shows it. */
export const issued = signal<Issued | undefined>(undefined);

const STORED = 'event-query-unsaved';
/** How many ids are kept: of keys that somebody else revoked, nobody says any more that they are saved. */
const IDS_MAX = 20;

/**
 * The ids of the keys whose secret was shown in this browser, and nobody said that it is saved. A window can
 * be closed against all questions: who comes back is told then.
 */
export const unsaved = signal<readonly string[]>(readStored());

/** Shows a secret, this once. */
export function show(next: Issued): void {
  issued.value = next;
  store([...unsaved.value.filter((id) => id !== next.key.id), next.key.id]);
}

/** Notes that nobody needs the secret of a key any more: it is saved, or opens nothing. */
export function settle(id: string): void {
  if (issued.value?.key.id === id) issued.value = undefined;
  store(unsaved.value.filter((each) => each !== id));
}

function store(ids: readonly string[]): void {
  unsaved.value = ids.slice(-IDS_MAX);
  try {
    localStorage.setItem(STORED, JSON.stringify(unsaved.value));
  } catch {
    // It is known until the page is left.
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
