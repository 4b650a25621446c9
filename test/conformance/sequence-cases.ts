import type { SequenceBody, StepBody } from '../../src/core/query/body.ts';
import { toIsoInstant } from '../../src/core/event/time.ts';
import type { StoredEvent } from '../../src/store-kit.ts';

/** A sequence of steps, some events, and how many users reach each step. */
export interface SequenceCase {
  readonly name: string;
  readonly body: SequenceBody;
  readonly events: readonly StoredEvent[];
  readonly reach: readonly number[];
  /** The texts that body and events were made of, for pages. */
  readonly text: { readonly steps: string; readonly options: string; readonly events: string };
}

const BEGIN = Date.UTC(2026, 0, 5, 12);
const at = (minute: number) => BEGIN + minute * 60_000;

/** Reads `p=1`, a property and its JSON. */
function readProperty(text: string): readonly [name: string, value: string | number] {
  const [name, json] = text.split('=');
  return [name!, JSON.parse(json!) as string | number];
}

/** Reads `user:NAMEminute#insertId{path=value}`; an event without an id is called by its place. */
function readEvent(text: string, place: number): StoredEvent {
  const [, userId, eventName, minute, id, property] = /^(\w+):([A-Z])(\d+)(?:#(\w+))?(?:\{(.+)\})?$/.exec(
    text,
  )!;
  const properties = Object.fromEntries((property?.split(',') ?? []).map(readProperty));
  return {
    ...{ eventName: eventName!, userId: userId!, eventTs: at(Number(minute)) },
    insertId: id ?? String(place).padStart(3, '0'),
    propertiesJson: JSON.stringify(properties),
  };
}

/** Reads `A`, `*` for any event, `A{p=1}`, or `A+B` for either of them. */
function readStep(text: string): StepBody {
  const [, name, property] = /^([A-Z+*]+)(?:\{(.+)\})?$/.exec(text)!;
  if (name === '*') return {};
  const names = name!.split('+');
  const filters = property === undefined ? [] : [toFilter(property)];
  if (names.length === 1) return { event: name!, ...(filters.length === 0 ? {} : { filterSet: filters }) };
  return { filterSet: [{ property: 'eventName', comparison: 'IN', value: names }, ...filters] };
}

function toFilter(text: string) {
  const [name, value] = readProperty(text);
  return { property: `properties.${name}`, comparison: 'EQUALS', value } as const;
}

/** Reads options such as `within=10 strict without=1:X same=p distinct=p body={p=1} after=5 before=5`. */
function readOptions(text: string): Omit<SequenceBody, 'steps'> {
  const options = text.split(' ').filter((word) => word !== '');
  return Object.assign({}, ...options.map((word) => readOption(word))) as Omit<SequenceBody, 'steps'>;
}

function readOption(word: string): Partial<SequenceBody> {
  const [, name, value = ''] = /^(\w+)=?(.*)$/.exec(word)!;
  switch (name) {
    case 'strict':
      return { order: 'strict' };
    case 'within':
      return { within: `${value}m` };
    case 'without': {
      const [after, excluded] = value.split(':');
      return { without: [{ after: Number(after), ...readStep(excluded!) }] };
    }
    case 'body':
      return { filterSet: [toFilter(value.slice(1, -1))] };
    case 'after':
      return { from: toIsoInstant(at(Number(value))) };
    case 'before':
      return { until: toIsoInstant(at(Number(value))) };
    default:
      return name === 'same' ? { same: [`properties.${value}`] } : { distinct: `properties.${value}` };
  }
}

/** Reads events that stand behind each other. */
export function eventsOf(text: string): readonly StoredEvent[] {
  return text.split(' ').map(readEvent);
}

function caseOf(
  name: string,
  steps: string,
  options: string,
  events: string,
  reach: readonly number[],
): SequenceCase {
  return {
    ...{ name, reach, text: { steps, options, events } },
    body: { ...readOptions(options), steps: steps.split('>').map(readStep) },
    events: eventsOf(events),
  };
}

/** What sequences mean, by examples. Minutes stand behind names: `u:A5` is the event A of u at minute 5. */
export const SEQUENCE_CASES: readonly SequenceCase[] = [
  caseOf('two steps in order', 'A>B', '', 'u:A0 u:B1', [1, 1]),
  caseOf('the second step before the first does not count', 'A>B', '', 'u:B0 u:A1', [1, 0]),
  caseOf('a step may not be left out', 'A>B>C', '', 'u:A0 u:C1 u:B2', [1, 1, 0]),
  caseOf('what comes before its step is passed over', 'A>B>C', '', 'u:A0 u:C1 u:B2 u:C3', [1, 1, 1]),
  caseOf('other events are passed over', 'A>B', '', 'u:A0 u:X1 u:B2', [1, 1]),
  caseOf('each user has a stream of their own', 'A>B', '', 'u:A0 w:B1', [1, 0]),
  caseOf('one step counts users', 'A', '', 'u:A0 u:A1 w:A2 w:B3 v:B4', [2]),
  caseOf('a later step alone begins nothing', 'A>B', '', 'u:B0', [0, 0]),
  caseOf('an event serves one step', 'A>A', '', 'u:A0', [1, 0]),
  caseOf('equal steps need an event each', 'A>A', '', 'u:A0 u:A1', [1, 1]),
  caseOf('three equal steps need three events', 'A>A>A', '', 'u:A0 u:A1', [1, 1, 0]),
  caseOf('an event that matches two steps serves the first', 'A+B>B', '', 'u:B0', [1, 0]),
  caseOf('and the next event serves the second', 'A+B>B', '', 'u:B0 u:B1', [1, 1]),
  caseOf('steps without a name take any events', '*>*', '', 'u:A0 u:B0', [1, 1]),
  caseOf(
    'a narrower second step is not served by an event before it',
    'A>A{p=1}',
    '',
    'u:A0{p=1} u:A1',
    [1, 0],
  ),
  caseOf('a narrower second step takes a later event', 'A>A{p=1}', '', 'u:A0 u:A1{p=1}', [1, 1]),
  caseOf('of one instant the ids decide: a is before b', 'A>B', '', 'u:A0#a u:B0#b', [1, 1]),
  caseOf('of one instant the ids decide: b is not before a', 'A>B', '', 'u:A0#b u:B0#a', [1, 0]),
  caseOf('ids are ordered by code point: Z is before a', 'A>B', '', 'u:A0#Z u:B0#a', [1, 1]),
  caseOf('ids are ordered as texts: 10 is before 9', 'A>B', '', 'u:A0#10 u:B0#9', [1, 1]),
  caseOf('the window includes its end', 'A>B', 'within=10', 'u:A0 u:B10', [1, 1]),
  caseOf('an event behind the window does not count', 'A>B', 'within=10', 'u:A0 u:B11', [1, 0]),
  caseOf('the window is counted from the first event', 'A>B>C', 'within=10', 'u:A0 u:B8 u:C12', [1, 1, 0]),
  caseOf('a window of no length takes events of one instant', 'A>B', 'within=0', 'u:A0#a u:B0#b', [1, 1]),
  caseOf('a second beginning has a window of its own', 'A>B', 'within=10', 'u:A0 u:A20 u:B25', [1, 1]),
  caseOf('the beginning that comes further counts', 'A>B', 'within=10', 'u:A0 u:A5 u:B12', [1, 1]),
  caseOf('of two that come as far the earlier counts', 'A>B', '', 'u:A0 u:A5 u:B12', [1, 1]),
  caseOf('a third step in a later attempt', 'A>B>C', 'within=10', 'u:A0 u:B1 u:A20 u:B21 u:C22', [1, 1, 1]),
  caseOf('steps of two attempts are not mixed', 'A>B>C', 'within=10', 'u:A0 u:B1 u:A20 u:C21', [1, 1, 0]),
  caseOf('a user counts once', 'A>B', '', 'u:A0 u:B1 u:A2 u:B3', [1, 1]),
  caseOf('strict order: nothing may be between', 'A>B', 'strict', 'u:A0 u:X1 u:B2', [1, 0]),
  caseOf('strict order: a later beginning may succeed', 'A>B', 'strict', 'u:A0 u:X1 u:A2 u:B3', [1, 1]),
  caseOf('strict order: events of others are not between', 'A>B', 'strict', 'u:A0 w:X1 u:B2', [1, 1]),
  caseOf(
    'strict order: what the body does not select is not between',
    'A>B',
    'strict body={p=1}',
    'u:A0{p=1} u:X1 u:B2{p=1}',
    [1, 1],
  ),
  caseOf('an exclusion ends an attempt', 'A>B', 'without=1:X', 'u:A0 u:X1 u:B2', [1, 0]),
  caseOf('what is excluded may be before and behind', 'A>B', 'without=1:X', 'u:X0 u:A1 u:B2 u:X3', [1, 1]),
  caseOf(
    'after an exclusion a later beginning may succeed',
    'A>B',
    'without=1:X',
    'u:A0 u:X1 u:A2 u:B3',
    [1, 1],
  ),
  caseOf(
    'an exclusion holds between its steps alone',
    'A>B>C',
    'without=2:X',
    'u:A0 u:X1 u:B2 u:C3',
    [1, 1, 1],
  ),
  caseOf(
    'the first event that matches a step is taken, what follows it is excluded',
    'A>B>C',
    'without=2:X',
    'u:A0 u:B1 u:X2 u:B3 u:C4',
    [1, 1, 0],
  ),
  caseOf('an excluded beginning begins anew', 'A>B', 'without=1:A', 'u:A0 u:A1 u:B2', [1, 1]),
  caseOf('what a step takes is not excluded', 'A>B', 'without=1:B', 'u:A0 u:B1', [1, 1]),
  caseOf('a constant value has to be the same', 'A>B', 'same=p', 'u:A0{p=1} u:B1{p=2}', [1, 0]),
  caseOf(
    'a constant value: another beginning has it',
    'A>B',
    'same=p',
    'u:A0{p=1} u:A1{p=2} u:B2{p=2}',
    [1, 1],
  ),
  caseOf('a constant value has to be there', 'A>B', 'same=p', 'u:A0 u:B1', [0, 0]),
  caseOf('a constant value: 1 is not "1"', 'A>B', 'same=p', 'u:A0{p=1} u:B1{p="1"}', [1, 0]),
  caseOf('distinct values of another path', 'A>B', 'distinct=p', 'u:A0{p=1} w:B1{p=1} v:A2', [1, 1]),
  caseOf('the range is about beginnings', 'A>B', 'before=5', 'u:A4 u:B9', [1, 1]),
  caseOf('a beginning behind the range', 'A>B', 'before=5', 'u:A5 u:B6', [0, 0]),
  caseOf('a beginning before the range', 'A>B', 'after=5', 'u:A4 u:A6 u:B7', [1, 1]),
  caseOf('only a beginning before the range', 'A>B', 'after=5 within=10', 'u:A0 u:B6', [0, 0]),
];
