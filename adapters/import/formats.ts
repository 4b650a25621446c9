import { ACCESS_LOG } from './mappings/access-log.ts';
import { AMPLITUDE } from './mappings/amplitude.ts';
import { GA4 } from './mappings/ga4.ts';
import type { Mapping } from './mappings/mapping.ts';
import { MIXPANEL } from './mappings/mixpanel.ts';
import { POSTHOG } from './mappings/posthog.ts';
import { RUDDERSTACK, SEGMENT } from './mappings/segment.ts';
import { SNOWPLOW } from './mappings/snowplow.ts';
import { UMAMI } from './mappings/umami.ts';

/** The formats of other tools, by the names that `from` takes. A record is of the first one that fits. */
export const MAPPINGS = {
  mixpanel: MIXPANEL,
  amplitude: AMPLITUDE,
  posthog: POSTHOG,
  rudderstack: RUDDERSTACK,
  segment: SEGMENT,
  ga4: GA4,
  snowplow: SNOWPLOW,
  umami: UMAMI,
  'access-log': ACCESS_LOG,
} as const satisfies Record<string, Mapping>;

/** A format that a mapping describes. */
export type MappedFormat = keyof typeof MAPPINGS;

/** The formats that a mapping describes, in the order in which they are tried. */
export const MAPPED_FORMATS = Object.keys(MAPPINGS) as readonly MappedFormat[];

/** All that `from` takes; `event-query` is what `export` writes, `csv` any other table. */
export const IMPORT_FORMATS: readonly ImportFormat[] = ['event-query', 'csv', ...MAPPED_FORMATS];

/** The name of a format. */
export type ImportFormat = 'event-query' | 'csv' | MappedFormat;
