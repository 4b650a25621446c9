import { signal } from '@preact/signals';
import type { AdminAnswer } from '../../../../src/admin-api.ts';
import { ask } from './api.ts';

/** The plans and comparisons of this server; empty until they are loaded. */
export const choices = signal<AdminAnswer<'choices'>>({ plans: [], comparisons: [] });

/** Loads the plans and comparisons. */
export async function loadChoices(aborted: AbortSignal): Promise<AdminAnswer<'choices'>> {
  return (choices.value = await ask<AdminAnswer<'choices'>>('choices', undefined, { signal: aborted }));
}
