/** The units of time for the buckets of events. */
export const UNITS = ['minute', 'hour', 'day', 'week', 'month'] as const;
export type Unit = (typeof UNITS)[number];

/** Whether a text names a unit of time. */
export const isUnit = (text: string): text is Unit => (UNITS as readonly string[]).includes(text);
