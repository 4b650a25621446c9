import type {
  Breakdown,
  BreakdownBody,
  CountBody,
  FilterEntry,
  HavingBody,
  User,
  UsersBody,
} from '../../../../src/index.ts';
import { bodyOfStep, type AskedStep } from '../address/steps.ts';
import { isUserOrder, type UserOrder } from '../address/user-orders.ts';
import { hasText } from '../explore/filter/comparisons.ts';

/** How far users came in a sequence of steps. */
interface ReachedSteps {
  readonly steps: readonly AskedStep[];
  /** How long an attempt may take; empty for any time. */
  readonly within: string;
  /** The step that they reached, by its number from 1. */
  readonly step: number;
  /** Whether they came no further. */
  readonly isEnd: boolean;
}

/** Which users are listed, and in which order. The events that count are those of the whole question. */
export interface ListedUsers {
  /** A text that a value of the user has; empty for all users. */
  readonly search: string;
  /** The path of that value. */
  readonly path: string;
  /** How many of the events a user has at least. */
  readonly least: number;
  readonly sequence: ReachedSteps | undefined;
  /** The asked order; by a sequence or a condition the engine lists users by their IDs alone. */
  readonly order: UserOrder;
}

/** The path of a user's ID. */
export const USER_ID = 'userId';

/** Reads which users an address with these steps asks for. */
export function usersAsked(parameters: URLSearchParams, steps: readonly AskedStep[]): ListedUsers {
  const text = (name: string) => parameters.get(name) ?? '';
  const [stopped, reached] = [Number(text('stopped')), Number(text('reached'))];
  const step = stopped > 0 ? stopped : reached;
  const sequence = step === 0 ? undefined : { steps, within: text('within'), step, isEnd: stopped > 0 };
  const [path, least, order] = [text('in'), Number(text('least')), text('sort')];
  const asked: ListedUsers = {
    ...{ search: text('search'), path: path === '' ? USER_ID : path },
    ...{ least: Math.max(1, least), sequence, order: '' },
  };
  return isUserOrder(order) && canOrder(asked) ? { ...asked, order } : asked;
}

/** Whether a value is searched that one event has: a condition on all events of a user. */
const isOfEvents = ({ search, path }: ListedUsers) => search !== '' && path !== USER_ID;

/** Whether users can come in an order of figures, which is that of the groups of a breakdown. */
export const canOrder = (asked: ListedUsers): boolean =>
  asked.sequence === undefined && asked.least === 1 && !isOfEvents(asked);

/** The filters of a search by a part of the users' IDs, which are on their events. */
export const filtersById = ({ search, path }: ListedUsers): readonly FilterEntry[] =>
  search === '' || path !== USER_ID ? [] : [hasText(path, search)];

/** The events that are listed by their users: those of the question, or of users with a text in their ID. */
export function bodyOfEvents(body: CountBody, asked: ListedUsers): CountBody {
  const filters = filtersById(asked);
  return filters.length === 0 ? body : { ...body, filterSet: [...(body.filterSet ?? []), ...filters] };
}

/** The question for a page of users by their IDs. */
export function bodyById(
  body: CountBody,
  asked: ListedUsers,
  pagination: UsersBody['pagination'],
): UsersBody {
  const { search, path, least, sequence } = asked;
  const having: readonly HavingBody[] = [
    ...(least > 1 ? [{ atLeast: least }] : []),
    // A user is found by one event with the text, and all events of the user count.
    ...(isOfEvents(asked) ? [{ filterSet: [hasText(path, search)], atLeast: 1 }] : []),
  ];
  return {
    ...bodyOfEvents(body, asked),
    ...(having.length === 0 ? {} : { having }),
    ...(sequence === undefined ? {} : { sequence: reachOf(sequence) }),
    pagination,
  };
}

const reachOf = ({ steps, within, step, isEnd }: ReachedSteps): NonNullable<UsersBody['sequence']> => ({
  steps: steps.map(bodyOfStep),
  ...(within === '' ? {} : { within }),
  ...(isEnd ? { stopped: step } : { reached: step }),
});

/** The question for the first users in an order of figures, the greatest first. */
export function bodyByFigure(body: CountBody, asked: ListedUsers, size: number): BreakdownBody {
  const { order } = asked;
  return {
    ...bodyOfEvents(body, asked),
    ...{ by: USER_ID, size, measures: [{ of: 'eventTs', take: ['min', 'max'] }] },
    ...(order === 'first' || order === 'last'
      ? { orderBy: { measure: 0, take: order === 'first' ? 'min' : 'max' } }
      : {}),
  };
}

/** The groups of such an answer as users. */
export const usersOf = ({ groups }: Breakdown): readonly User[] =>
  groups.map(({ key, count, measures }) => ({
    ...{ key, count, first: String(measures?.[0]?.min), last: String(measures?.[0]?.max) },
  }));
