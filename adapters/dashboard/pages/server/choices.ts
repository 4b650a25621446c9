import { signal } from '@preact/signals';
import type { Choices } from '../../../../src/transport-kit.ts';
import { ask } from './api.ts';

/** The plans and comparisons of this server; empty until they are loaded. */
export const choices = signal<Choices>({ plans: [], comparisons: [] });

/** Loads the plans and comparisons. */
export async function loadChoices(aborted: AbortSignal): Promise<Choices> {
  return (choices.value = await ask<Choices>('choices', undefined, { signal: aborted }));
}
