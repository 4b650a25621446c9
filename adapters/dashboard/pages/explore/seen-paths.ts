import { useMemo } from 'preact/hooks';
import { place } from '../place.ts';
import type { Property } from '../server/answers.ts';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';

/** What events were seen to have: their names, and the paths of those of the asked event. */
export interface SeenPaths {
  readonly names: readonly string[];
  readonly properties: readonly Property[];
  readonly error: string | undefined;
}

/** Where the names of events are asked for. */
export const pathOfNames = (alias: string) => `query/events/${alias}`;

/** Where the paths of the events are asked for that an address asks for. */
export function pathOfProperties(alias: string, parameters: URLSearchParams): string {
  const event = parameters.get('event') ?? '';
  return `query/properties/${alias}${event === '' ? '' : `?event=${encodeURIComponent(event)}`}`;
}

/** Asks what the events of a tenant have, and again whenever `since` changes. */
export function useSeenPaths(alias: string, since?: unknown): SeenPaths {
  const path = pathOfProperties(alias, place.value.parameters);
  const names = useAnswer(
    (signal) => ask<string[]>(pathOfNames(alias), undefined, { signal }),
    [alias, since],
  );
  const known = useAnswer(
    (signal) => ask<{ readonly properties: readonly Property[] }>(path, undefined, { signal }),
    [path, since],
    { isAside: true },
  );
  const error = names.error ?? known.error;
  return useMemo(
    () => ({ names: names.value ?? [], properties: known.value?.properties ?? [], error }),
    [names.value, known.value, error],
  );
}

/** Paths that are worth a breakdown: those that most events have, with few values. */
export function suggestionsOf({ properties }: SeenPaths): readonly string[] {
  const timesOf = ({ types }: Property) => Object.values(types).reduce((sum, times) => sum + times, 0);
  const hasFew = ({ types, examples }: Property) =>
    examples.length > 1 &&
    examples.every((each) => String(each).length <= 20) &&
    Object.keys(types).some((type) => type === 'string' || type === 'boolean');
  const few = properties.filter(hasFew).sort((a, b) => timesOf(b) - timesOf(a));
  return ['eventName', ...few.slice(0, SUGGESTED_MAX).map(({ path }) => path)];
}

const SUGGESTED_MAX = 6;
