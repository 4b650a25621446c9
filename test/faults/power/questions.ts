import type { EventQuery, StoredEvent, Window } from '../../../src/store-kit.ts';

/** A question, and what it asks as plain code. */
export interface Question {
  readonly query: EventQuery;
  matches(event: StoredEvent): boolean;
}

const EVERYTHING: EventQuery = { from: -Infinity, until: Infinity, condition: { kind: 'all', of: [] } };
const [FROM, UNTIL] = [1_768_000_000_000, 1_770_000_000_000];

function about(path: 'kind' | 'eventName' | 'userId', operand: string): EventQuery {
  const named = path === 'kind' ? { root: 'properties', segments: ['kind'] } : { root: path, segments: [] };
  return {
    ...EVERYTHING,
    condition: { kind: 'test', path: named, operator: 'EQUALS', operand },
  } as EventQuery;
}

/** What is asked of a tenant, before and after a loss of power. */
export const QUESTIONS: readonly Question[] = [
  { query: EVERYTHING, matches: () => true },
  { query: about('kind', 'k3'), matches: ({ propertiesJson }) => propertiesJson.includes('"kind":"k3"') },
  { query: about('eventName', 'name-1'), matches: ({ eventName }) => eventName === 'name-1' },
  { query: about('userId', 'user-7'), matches: ({ userId }) => userId === 'user-7' },
  {
    query: { ...about('kind', 'k5'), from: FROM, until: UNTIL },
    matches: ({ propertiesJson, eventTs }) =>
      propertiesJson.includes('"kind":"k5"') && eventTs >= FROM && eventTs < UNTIL,
  },
];

/** For limits time stands still, so that no token comes back by itself. */
export const STOPPED_CLOCK = { now: () => 1_767_225_600_000 };

/** Limits that refuse nobody while a run lasts. */
export const TOKENS = 2000;
export const WINDOWS: readonly Window[] = [
  { limit: 100_000_000, windowMs: 60_000 },
  { limit: TOKENS, windowMs: 86_400_000 },
];
