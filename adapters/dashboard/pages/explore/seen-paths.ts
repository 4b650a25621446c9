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

/** Asks what the events of a tenant have. */
export function useSeenPaths(alias: string): SeenPaths {
  const event = place.value.parameters.get('event') ?? '';
  const names = useAnswer((signal) => ask<string[]>(`query/events/${alias}`, undefined, { signal }), [alias]);
  const known = useAnswer(
    (signal) =>
      ask<{ readonly properties: readonly Property[] }>(
        `query/properties/${alias}${event === '' ? '' : `?event=${encodeURIComponent(event)}`}`,
        undefined,
        { signal },
      ),
    [alias, event],
  );
  return {
    names: names.value ?? [],
    properties: known.value?.properties ?? [],
    error: names.error ?? known.error,
  };
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
