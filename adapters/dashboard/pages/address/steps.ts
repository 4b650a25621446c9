import type { FilterEntry, StepBody } from '../../../../src/index.ts';
import { readFilters, readList, type Takes } from './filters.ts';

/** A step of a sequence: which events are meant. */
export interface AskedStep {
  /** The name of the event; empty for any. */
  readonly event: string;
  readonly filters: readonly FilterEntry[];
}

/** A step about which nothing is said yet. */
export const NEW_STEP: AskedStep = { event: '', filters: [] };

/** How many steps there are at least. */
export const STEPS_LEAST = 2;
/** How many steps there are at most. */
export const STEPS_MOST = 10;
const NAME_LENGTH_MAX = 256;

const UNREADABLE = 'This link contains an unreadable step.';

/** The steps of an address, or what is wrong with them. */
type ReadSteps = { readonly steps: readonly AskedStep[] } | { readonly problem: string };

/** Reads the steps of an address: an array of steps as a body of the Query API has them. */
export function readSteps(text: string, takes: Takes): ReadSteps {
  if (text === '') return { steps: [NEW_STEP, NEW_STEP] };
  const found = readList(text);
  if (found === undefined) return { problem: UNREADABLE };
  if (found.length < STEPS_LEAST || found.length > STEPS_MOST)
    return { problem: `This link contains ${found.length} steps; it takes ${STEPS_LEAST} to ${STEPS_MOST}.` };
  const steps: AskedStep[] = [];
  for (const each of found) {
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return { problem: UNREADABLE };
    const { event = '', filterSet = [] } = each as Readonly<Record<string, unknown>>;
    if (typeof event !== 'string' || event.length > NAME_LENGTH_MAX) return { problem: UNREADABLE };
    const read = readFilters(JSON.stringify(filterSet), takes);
    if ('problem' in read) return read;
    steps.push({ event, filters: read.filters });
  }
  return { steps };
}

/** A step as a body of the Query API has it. */
export const bodyOfStep = ({ event, filters }: AskedStep): StepBody => ({
  ...(event === '' ? {} : { event }),
  ...(filters.length === 0 ? {} : { filterSet: filters }),
});

/** How an address holds steps; empty for those about which nothing is said. */
export function stepsText(steps: readonly AskedStep[]): string {
  const isNew = steps.length === STEPS_LEAST && steps.every(isOpen);
  return isNew ? '' : JSON.stringify(steps.map(bodyOfStep));
}

/** Whether nothing is said about a step, so that it is any event. */
export const isOpen = ({ event, filters }: AskedStep): boolean => event === '' && filters.length === 0;

/** The steps with one of them at another place. */
export const moved = (steps: readonly AskedStep[], from: number, to: number): readonly AskedStep[] =>
  steps.toSpliced(from, 1).toSpliced(to, 0, steps[from]!);

const WITHIN_PATTERN = /^[1-9]\d{0,3}[smhdw]$/;
/** Whether a text is how long an attempt may take. */
export const isWithin = (text: string): boolean => WITHIN_PATTERN.test(text);
