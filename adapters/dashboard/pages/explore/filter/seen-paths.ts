import { useMemo } from 'preact/hooks';
import { place } from '../../address/place.ts';
import type { Property } from '../../../../../src/store-kit.ts';
import { ask } from '../../server/api.ts';
import { useAnswer } from '../../server/loading.ts';
import { FIELDS, seen } from '../../address/question.ts';

/** What events were seen to have: their names, and the paths of those of the asked event. */
export interface SeenPaths {
  readonly names: readonly string[];
  readonly properties: readonly Property[];
  /** What is said of a path that no event has; nothing of one that some have, or that may be one of those. */
  readonly absenceOf: (path: string) => string | undefined;
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
  const { parameters } = place.value;
  const path = pathOfProperties(alias, parameters);
  const event = parameters.get('event') ?? '';
  const names = useAnswer(
    (signal) => ask<string[]>(pathOfNames(alias), undefined, { signal }),
    [alias, since],
  );
  const known = useAnswer((signal) => ask<KnownPaths>(path, undefined, { signal }), [path, since], {
    isAside: true,
  });
  const error = names.error ?? known.error;
  return useMemo(() => {
    const { properties, more } = known.value ?? NOTHING_KNOWN;
    const paths = new Set([...FIELDS, 'properties', ...properties.map((each) => each.path)]);
    const absenceOf = (asked: string) =>
      more || known.isOld || asked === '' || paths.has(asked)
        ? undefined
        : `No event ${event === '' ? '' : `“${seen(event)}” `}has been seen with ${seen(asked)}.`;
    return { names: names.value ?? [], properties, absenceOf, error };
  }, [names.value, known.value, known.isOld, event, error]);
}

/** The paths that events have; `more` where not all of them are told. */
interface KnownPaths {
  readonly properties: readonly Property[];
  readonly more: boolean;
}
const NOTHING_KNOWN: KnownPaths = { properties: [], more: true };

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
