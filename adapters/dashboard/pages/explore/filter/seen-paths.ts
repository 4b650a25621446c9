import { useMemo } from 'preact/hooks';
import { place } from '../../address/place.ts';
import type { Property } from '../../../../../src/store-kit.ts';
import { ask } from '../../server/api.ts';
import { useAnswer } from '../../server/loading.ts';
import { FILTER_FIELDS } from '../../address/paths.ts';
import { seen } from '../../address/written.ts';

/** The names of a tenant's events, and the property paths of the events that the question names. */
export interface SeenPaths {
  /** Undefined until they are known, or why they are not. */
  readonly names: readonly string[] | undefined;
  readonly properties: readonly Property[];
  /** Whether events have more paths than these. */
  readonly more: boolean;
  /** The message for a path that no event has; undefined if some event has it or may have it. */
  readonly absenceOf: (path: string) => string | undefined;
  readonly error: string | undefined;
  /** Whether the paths are not known yet. Soon after the start of a server that may take some seconds. */
  readonly isReading: boolean;
}

/** The Admin API path of a tenant's event names. */
export const pathOfNames = (alias: string) => `query/events/${alias}`;

/** The Admin API path of the property paths of the events that an address asks for. */
export function pathOfProperties(alias: string, parameters: URLSearchParams): string {
  const event = parameters.get('event') ?? '';
  return `query/properties/${alias}${event === '' ? '' : `?event=${encodeURIComponent(event)}`}`;
}

/** Loads the names and paths of a tenant's events, and again whenever `since` changes. */
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
    const paths = new Set([...FILTER_FIELDS, 'properties', ...properties.map((each) => each.path)]);
    const absenceOf = (asked: string) =>
      more || known.isOld || asked === '' || paths.has(asked)
        ? undefined
        : `No event ${event === '' ? '' : `“${seen(event)}” `}has been seen with ${seen(asked)}.`;
    const isReading = known.error === undefined && (known.value === undefined || known.isOld);
    return {
      names: names.value ?? (names.error === undefined ? undefined : []),
      properties,
      more,
      absenceOf,
      error,
      isReading,
    };
  }, [names.value, known.value, known.error, known.isOld, event, error]);
}

/** The paths that events have; `more` if the answer does not contain all of them. */
interface KnownPaths {
  readonly properties: readonly Property[];
  readonly more: boolean;
}
const NOTHING_KNOWN: KnownPaths = { properties: [], more: true };

/** Paths worth a breakdown: most events have them, and they have few values. */
export function suggestionsOf({ properties }: SeenPaths): readonly string[] {
  const timesOf = ({ types }: Property) => Object.values(types).reduce((sum, times) => sum + times, 0);
  const hasFew = ({ types, examples }: Property) =>
    examples.length > 1 &&
    examples.every((each) => String(each).length <= 20) &&
    Object.keys(types).some((type) => type === 'string' || type === 'boolean');
  const few = properties.filter(hasFew).sort((a, b) => timesOf(b) - timesOf(a));
  return ['eventName', 'userId', ...few.slice(0, SUGGESTED_MAX).map(({ path }) => path)];
}

const SUGGESTED_MAX = 6;
