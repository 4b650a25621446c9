import { signal } from '@preact/signals';
import type { Choices } from '../../../../src/transport-kit.ts';
import { ask } from './api.ts';

/** What can be chosen on this server; nothing until it was asked. */
export const choices = signal<Choices>({ plans: [], comparisons: [] });

/** Asks what can be chosen. */
export async function loadChoices(aborted: AbortSignal): Promise<Choices> {
  return (choices.value = await ask<Choices>('choices', undefined, { signal: aborted }));
}
