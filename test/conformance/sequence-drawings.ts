import { parseSequenceBody } from '../../src/core/query/parse-sequence.ts';
import type { StoredEvent } from '../../src/store-kit.ts';
import { toTable } from '../readme/tables.ts';
import { compareNewestFirst } from './expected.ts';
import { attemptsOf } from './expected-sequence.ts';
import { SEQUENCE_CASES, type SequenceCase } from './sequence-cases.ts';

/** The cases that are drawn: each shows another rule. */
const DRAWN = [
  'what comes before its step is passed over',
  'an event that matches two steps serves the first',
  'of one instant the ids decide: b is not before a',
  'the window is counted from the first event',
  'of two that come as far the earlier counts',
  'a third step in a later attempt',
  'strict order: a later beginning may succeed',
  'after an exclusion a later beginning may succeed',
  'a constant value: another beginning has it',
  'the range is about beginnings',
];

/** How many columns a minute takes, and an event at most. */
const MINUTE_COLUMNS = 3;
const EVENT_COLUMNS = 12;

/** What is drawn of an event. */
const nameOf = ({ eventName, propertiesJson, insertId }: StoredEvent) => {
  const own = propertiesJson === '{}' ? '' : propertiesJson.replaceAll('"', '').replace(':', '=');
  return `${eventName}${own}${/^\d{3}$/.test(insertId) ? '' : `#${insertId}`}`;
};

/** A line for the minutes, and one for each user, with the steps of the attempt that counts in brackets. */
function draw({ body, events }: SequenceCase): string {
  const asked = parseSequenceBody(body);
  const taken = new Set(
    attemptsOf(events, asked).attempts.flatMap((attempt) =>
      attempt.map(({ view }) => `${view.eventTs} ${view.insertId}`),
    ),
  );
  const inOrder = events.toSorted(compareNewestFirst).reverse();
  const begin = Math.floor(inOrder[0]!.eventTs / 3_600_000) * 3_600_000;
  const minuteOf = ({ eventTs }: StoredEvent) => (eventTs - begin) / 60_000;
  let free = 0;
  const placed = inOrder.map((event) => {
    const column = Math.max(free, minuteOf(event) * MINUTE_COLUMNS);
    const isTaken = taken.has(`${event.eventTs} ${event.insertId}`);
    const text = isTaken ? `[${nameOf(event)}]` : ` ${nameOf(event)} `;
    free = column + Math.min(EVENT_COLUMNS, text.length + 1);
    return { event, column, text };
  });
  const line = (head: string, marks: readonly { readonly column: number; readonly text: string }[]) =>
    marks.reduce((text, mark) => text.padEnd(8 + mark.column) + mark.text, head).trimEnd();
  const users = [...new Set(inOrder.map(({ userId }) => userId))];
  return [
    line(
      'minute',
      placed.map(({ event, column }) => ({ column, text: ` ${minuteOf(event)}` })),
    ),
    ...users.map((user) =>
      line(
        user,
        placed.filter(({ event }) => event.userId === user),
      ),
    ),
  ].join('\n');
}

const stepsOf = ({ text: { steps, options } }: SequenceCase) =>
  [`steps ${steps.replaceAll('>', ', ')}`, ...options.split(' ').filter((word) => word !== '')].join('; ');

/** Ten cases, drawn. */
export function sequenceDrawings(): string {
  return DRAWN.map((name, i) => {
    const drawn = SEQUENCE_CASES.find((each) => each.name === name)!;
    const reach = drawn.reach.map(
      (count, k) => `${count} ${count === 1 ? 'has' : 'have'} reached step ${k + 1}`,
    );
    const marker = `${i + 1}. `;
    return [
      `${marker}${name[0]!.toUpperCase()}${name.slice(1)}.`,
      '',
      `${' '.repeat(marker.length)}\`\`\`text`,
      ...[stepsOf(drawn), ...draw(drawn).split('\n'), reach.join(', ')].map((line) =>
        (' '.repeat(marker.length) + line).trimEnd(),
      ),
      `${' '.repeat(marker.length)}\`\`\``,
    ].join('\n');
  }).join('\n\n');
}

/** All cases as a Markdown table. */
export function sequenceTable(): string {
  const rows = SEQUENCE_CASES.map((each) => [
    each.name,
    `\`${stepsOf(each)}\``,
    `\`${each.text.events}\``,
    each.reach.join(', '),
  ]);
  return toTable(['rule', 'sequence', 'events', 'reached'], rows);
}
