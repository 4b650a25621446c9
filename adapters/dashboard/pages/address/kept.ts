import { isInstant } from '../time/asked.ts';
import { linkTo, type PageLocation } from './address.ts';

/** A question as parameters of an address. */
export type KeptQuestion = Readonly<Record<string, string>>;

/** The last question of the explorer and of the table of users about each tenant. */
export type KeptQuestions = ReadonlyMap<string, KeptQuestion>;

const keyOf = (page: string, alias: string) => `${page}/${alias}`;

/** What the page of live events asks of a question: which events, and what their rows show. */
const OF_LIVE = ['event', 'filter', 'columns'];

/** What says which page of rows is shown, of which instant. */
const OF_PAGE = ['cursor', 'at'];

/** What the page of a user asks itself. The rest of its address is the question that found the user. */
const OF_PERSON = ['user', 'order', 'offset', 'cursor'];

/** The question that the page of a user leads back to; empty if its address holds none. */
export function questionBehind(parameters: URLSearchParams): KeptQuestion {
  // An instant is that of an event of the user, and a number that of the question.
  const rest = [...parameters].filter(
    ([name, text]) => !OF_PERSON.includes(name) && !(name === 'at' && isInstant(text)),
  );
  // The zone is that of the times of the page, too.
  return rest.some(([name]) => name !== 'zone') ? Object.fromEntries(rest) : {};
}

/**
 * What is kept once a place was shown: the question of the explorer, with what the live page changes of it,
 * and that of the table of users.
 */
export function keptAfter(kept: KeptQuestions, location: PageLocation): KeptQuestions {
  const { page, alias, parameters, unread } = location;
  if (alias === '' || unread !== undefined) return kept;
  const shown = Object.fromEntries([...parameters].filter(([name]) => !OF_PAGE.includes(name)));
  if (page === 'explore' || page === 'users') return new Map(kept).set(keyOf(page, alias), shown);
  if (page === 'live') {
    const before = Object.entries(kept.get(keyOf('explore', alias)) ?? {});
    const rest = before.filter(([name]) => !OF_LIVE.includes(name));
    return new Map(kept).set(keyOf('explore', alias), { ...Object.fromEntries(rest), ...shown });
  }
  if (page !== 'person') return kept;
  const question = Object.entries(questionBehind(parameters)).filter(([name]) => !OF_PAGE.includes(name));
  if (question.length === 0) return kept;
  return new Map(kept).set(keyOf('users', alias), Object.fromEntries(question));
}

/** The address of a page of a tenant, with as much of the kept question as the page asks. */
export function linkKept(kept: KeptQuestions, page: string, alias: string): string {
  const question = Object.entries(kept.get(keyOf(page === 'live' ? 'explore' : page, alias)) ?? {});
  const asked = page === 'live' ? question.filter(([name]) => OF_LIVE.includes(name)) : question;
  return linkTo(page, alias, Object.fromEntries(asked));
}
