import type { UsageDay } from '../../../../src/store-kit.ts';

/** The good part of a figure of a day, and its other part: together they are as high as its bar. */
export type DayParts = readonly [good: number, bad: number];

/** The requests of a day that were answered, and those that were refused. */
export const requestParts = ({ requests, refused }: UsageDay): DayParts => [requests - refused, refused];

/** The events of a day that were stored, and those that were rejected. */
export const eventParts = ({ events, rejected }: UsageDay): DayParts => [events, rejected];
