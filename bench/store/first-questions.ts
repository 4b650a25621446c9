import type { StoredEvent } from '../../src/store-kit.ts';
import type { TenantEvents } from '../../src/index.ts';

const YEAR = Date.UTC(2024, 0, 1);
const DAY_MS = 86_400_000;
const BODY = { after: '2024-03-01', before: '2024-03-07' };
const [FROM, UNTIL] = [Date.UTC(2024, 2, 1), Date.UTC(2024, 2, 8)];
const filterSet = [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }] as const;
const SIZE = 100;

/** A question that is the first of its process. */
export interface FirstQuestion {
  readonly name: string;
  ask(events: TenantEvents): Promise<number | readonly string[]>;
  /** The same on the tables of this project, by the index that keeps identities unique. */
  readonly sql: string;
  /** The same over events in memory. */
  byHand(events: readonly StoredEvent[]): number | readonly string[];
}

const isInWeek = ({ eventTs }: StoredEvent) => eventTs >= FROM && eventTs < UNTIL;
const isPro = ({ propertiesJson }: StoredEvent) =>
  (JSON.parse(propertiesJson) as { plan?: unknown }).plan === 'pro';
const count = (events: readonly StoredEvent[], matches: (event: StoredEvent) => boolean) => {
  let found = 0;
  for (const event of events) if (matches(event)) found += 1;
  return found;
};
const firstPage = (events: readonly StoredEvent[]) =>
  events
    .toSorted((a, b) => b.eventTs - a.eventTs || (a.insertId < b.insertId ? 1 : -1))
    .slice(0, SIZE)
    .map(({ insertId }) => insertId);
const page = async (events: TenantEvents, body: object) => {
  const found = await events.query({ ...body, pagination: { offset: 0, size: SIZE } });
  return found.events.map(({ insertId }) => insertId);
};
const IN_WEEK = `log = ? AND ts >= ${FROM} AND ts < ${UNTIL}`;
const NEWEST = `ORDER BY ts DESC, insert_id DESC LIMIT ${SIZE}`;
const PRO = "properties ->> 'plan' = 'pro'";

export const FIRST_QUESTIONS: readonly FirstQuestion[] = [
  {
    name: 'a week',
    ask: (events) => events.count(BODY),
    sql: `SELECT count(*) AS answer FROM events WHERE ${IN_WEEK}`,
    byHand: (events) => count(events, isInWeek),
  },
  {
    name: 'a week and a value',
    ask: (events) => events.count({ ...BODY, filterSet }),
    sql: `SELECT count(*) AS answer FROM events WHERE ${IN_WEEK} AND ${PRO}`,
    byHand: (events) => count(events, (event) => isInWeek(event) && isPro(event)),
  },
  {
    name: 'first page of a week',
    ask: (events) => page(events, BODY),
    sql: `SELECT *, json(properties) FROM events WHERE ${IN_WEEK} ${NEWEST}`,
    byHand: (events) => firstPage(events.filter(isInWeek)),
  },
  {
    name: 'first page of a value',
    ask: (events) => page(events, { filterSet }),
    sql: `SELECT *, json(properties) FROM events WHERE log = ? AND ${PRO} ${NEWEST}`,
    byHand: (events) => firstPage(events.filter(isPro)),
  },
];

/** Events in no order of time, as imports by user or by file leave them, of so many distinct instants. */
export function* unorderedEvents(rows: number, instants: number): Generator<StoredEvent> {
  let state = 7;
  const below = (bound: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
  const times = Array.from({ length: instants }, () => YEAR + below(365 * DAY_MS));
  for (let row = 0; row < rows; row++) {
    const properties = {
      note: 'x'.repeat(150),
      plan: ['free', 'pro', 'team'][below(3)],
      total: below(10_000) / 100,
    };
    yield {
      ...{ eventName: `e${below(5)}`, userId: `u${below(10_000)}`, insertId: `i${row}` },
      ...{ eventTs: times[below(instants)]!, propertiesJson: JSON.stringify(properties) },
    };
  }
}
