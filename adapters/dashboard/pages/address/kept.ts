import { isInstant, RANGE_NAMES } from '../time/asked.ts';
import { linkTo, type PageLocation } from './address.ts';
import { NEW_STEP, stepsText } from './steps.ts';

/** A question as parameters of an address. */
export type KeptQuestion = Readonly<Record<string, string>>;

/** The last question about each tenant: what pages ask alike, and what each of them asks itself. */
export type KeptQuestions = ReadonlyMap<string, KeptQuestion>;

const keyOf = (page: string, alias: string) => `${page}/${alias}`;

/** The key of what pages ask alike, which is the name of no page. */
const ALIKE = '';

const RANGE = [...RANGE_NAMES, 'zone'];
/** What pages about events ask alike. */
const OF_EVENTS = ['event', 'filter', ...RANGE];
/** What pages about steps ask alike with them: each step has an event of its own. */
const OF_STEPS = ['filter', ...RANGE];

/** What each page asks as others do. The live page has no range, and the columns of the explorer. */
const SHARED: ReadonlyMap<string, readonly string[]> = new Map([
  ['explore', [...OF_EVENTS, 'columns']],
  ['live', ['event', 'filter', 'columns']],
  ['users', OF_EVENTS],
  ['funnel', OF_STEPS],
  ['retention', OF_STEPS],
]);

/** What a page asks as others do; the users of a step are asked about steps. */
const sharedBy = (page: string, own: KeptQuestion) =>
  page === 'users' && (own.stopped ?? own.reached) !== undefined ? OF_STEPS : SHARED.get(page);

/** What says which page of rows is shown, of which instant. */
const OF_PAGE = ['cursor', 'at'];

/** What the page of a user asks itself. The rest of its address is the question that found the user. */
const OF_PERSON = ['user', 'order', 'offset', 'cursor'];

/** What of a question is among some names, or is not. */
const part = (question: KeptQuestion, names: readonly string[], isIn = true): KeptQuestion =>
  Object.fromEntries(Object.entries(question).filter(([name]) => names.includes(name) === isIn));

/** The question that the page of a user leads back to; empty if its address holds none. */
export function questionBehind(parameters: URLSearchParams): KeptQuestion {
  // An instant is that of an event of the user, and a number that of the question.
  const rest = [...parameters].filter(
    ([name, text]) => !OF_PERSON.includes(name) && !(name === 'at' && isInstant(text)),
  );
  // The zone is that of the times of the page, too.
  return rest.some(([name]) => name !== 'zone') ? Object.fromEntries(rest) : {};
}

/** What is kept once a place was shown. A user found in rows says nothing about the table of users. */
export function keptAfter(kept: KeptQuestions, location: PageLocation): KeptQuestions {
  const { page, alias, parameters, unread } = location;
  if (alias === '' || unread !== undefined) return kept;
  if (page !== 'person') return keptOf(kept, page, alias, Object.fromEntries(parameters));
  const question = questionBehind(parameters);
  return Object.keys(question).length === 0 ? kept : keptOf(kept, 'users', alias, question);
}

function keptOf(kept: KeptQuestions, page: string, alias: string, question: KeptQuestion): KeptQuestions {
  const shown = part(question, OF_PAGE, false);
  const shared = sharedBy(page, shown);
  if (shared === undefined) return kept;
  const before = kept.get(keyOf(ALIKE, alias)) ?? {};
  const next = new Map(kept);
  next.set(keyOf(ALIKE, alias), { ...part(before, shared, false), ...part(shown, shared) });
  next.set(keyOf(page, alias), part(shown, shared, false));
  const explorer = next.get(keyOf('explore', alias)) ?? {};
  // The name of a saved view goes with its question.
  const isSame = shared.every((name) => name === 'zone' || before[name] === shown[name]);
  if (page !== 'explore' && !isSame) next.set(keyOf('explore', alias), part(explorer, ['view'], false));
  return next;
}

/**
 * The address of a page of a tenant, with as much of the kept question as the page asks. Steps about which
 * nothing was said yet begin with the event of the question.
 */
export function linkKept(kept: KeptQuestions, page: string, alias: string): string {
  const own = kept.get(keyOf(page, alias)) ?? {};
  const shared = sharedBy(page, own);
  if (shared === undefined) return linkTo(page, alias);
  const alike = kept.get(keyOf(ALIKE, alias)) ?? {};
  const { event } = alike;
  const isBegun = shared === OF_STEPS && own.steps === undefined && event !== undefined;
  const steps = isBegun ? { steps: stepsText([{ ...NEW_STEP, event }, NEW_STEP]) } : {};
  return linkTo(page, alias, { ...part(alike, shared), ...own, ...steps });
}
