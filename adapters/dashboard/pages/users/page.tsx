import { useMemo } from 'preact/hooks';
import type { Breakdown, User } from '../../../../src/index.ts';
import { linkTo } from '../address/address.ts';
import type { KeptQuestion } from '../address/kept.ts';
import { place, setParameters } from '../address/place.ts';
import { filtersOf, setQuestion, stepsOf } from '../address/question.ts';
import { saidQuestion } from '../address/said-question.ts';
import { USER_ORDERS, type UserOrder } from '../address/user-orders.ts';
import type { AskedQuestion } from '../explore/asked-question.ts';
import { FilterBar } from '../explore/filter/filter-bar.tsx';
import { useSeenPaths } from '../explore/filter/seen-paths.ts';
import { keepInstant, Turning, turnTo } from '../explore/pages.tsx';
import { ShownTime, TimeControl } from '../explore/time-control.tsx';
import { useAsked } from '../explore/time.ts';
import { Skeleton, PageSkeleton } from '../parts/skeleton.tsx';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { Empty, PageHead, Refusal } from '../parts/text.tsx';
import { ask, send } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { QuestionBar } from '../steps/question-bar.tsx';
import { NO_RANGE } from '../time/asked.ts';
import { isAllTime } from '../time/unit.ts';
import {
  bodyByFigure,
  bodyById,
  bodyOfEvents,
  canOrder,
  filtersById,
  USER_ID,
  usersAsked,
  usersOf,
  type ListedUsers,
} from './question.ts';
import { UserSearch } from './search.tsx';
import { headOf, SequenceHead } from './sequence-head.tsx';
import { UserTable } from './table.tsx';

/** How many users a page shows. */
const PAGE_SIZE = 100;

/** The users of a tenant who have events of a question, have a value, or came so far in a sequence. */
export function UsersPage({ tenant: { alias } }: TenantPageProps) {
  const { asked, error, again } = useAsked(alias);
  const users = usersNow();
  const head = headOf(users);
  if (asked !== undefined) return <Users alias={alias} asked={asked} users={users} />;
  if (error === undefined) return <PageSkeleton {...head} />;
  return (
    <>
      <PageHead {...head} />
      <Refusal error={error} again={again} />
    </>
  );
}

/** The users that the address asks for. */
function usersNow(): ListedUsers {
  const { parameters } = place.value;
  return usersAsked(parameters, stepsOf(parameters));
}

interface UsersProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly users: ListedUsers;
}

/** The parameters of the question, which its links lead on with. */
function questionOf({ preset, range }: AskedQuestion): KeptQuestion {
  const { parameters } = place.value;
  const kept = [...parameters].filter(([name]) => name !== 'cursor');
  return { ...Object.fromEntries(kept), ...saidQuestion(parameters, { preset, range }, false) };
}

function Users({ alias, asked, users }: UsersProps) {
  const seenPaths = useSeenPaths(alias, asked.since);
  const { sequence } = users;
  const question = questionOf(asked);
  return (
    <>
      {sequence === undefined ? (
        <PageHead {...headOf(users)}>
          {canOrder(users) && (
            <a class="button" href={linkTo('explore', alias, toEvents(question, users))}>
              Show their events
            </a>
          )}
        </PageHead>
      ) : (
        <SequenceHead alias={alias} users={users} question={question} />
      )}
      {sequence === undefined ? (
        <div class="explore-bar">
          <FilterBar asked={asked} seenPaths={seenPaths} />
          <div class="bar-side">
            <TimeControl asked={asked} />
          </div>
        </div>
      ) : (
        <QuestionBar asked={asked} seenPaths={seenPaths} />
      )}
      <UserSearch
        key={JSON.stringify([users.search, users.path, users.least])}
        asked={users}
        seenPaths={seenPaths}
      />
      <UserRows alias={alias} asked={asked} users={users} question={question} />
    </>
  );
}

/** What the explorer and the table of users ask alike. */
const OF_EVENTS = ['event', 'filter', 'range', 'from', 'until', 'after', 'before', 'at', 'zone'];

/** The parameters of the explorer that ask for the events which the table counts. */
function toEvents(question: KeptQuestion, users: ListedUsers) {
  const kept = Object.entries(question).filter(([name]) => OF_EVENTS.includes(name));
  const filters = [...filtersOf(place.value.parameters), ...filtersById(users)];
  return {
    ...Object.fromEntries(kept),
    ...(filters.length === 0 ? {} : { filter: JSON.stringify(filters) }),
  };
}

/** Users, and the cursor of the next page; undefined on the last one. */
interface LoadedUsers {
  readonly users: readonly User[];
  readonly next: string | undefined;
  /** How many users there are, where that is known. */
  readonly total: number | undefined;
}

async function loadUsers(
  alias: string,
  { body }: AskedQuestion,
  users: ListedUsers,
  signal: AbortSignal,
): Promise<LoadedUsers> {
  if (users.order !== '') {
    const asking = bodyByFigure(body, users, PAGE_SIZE);
    const answer = await ask<Breakdown>(`query/breakdown/${alias}`, asking, { signal });
    return { users: usersOf(answer), next: undefined, total: answer.groupsTotal };
  }
  const cursor = place.peek().parameters.get('cursor') ?? '';
  const pagination = { size: PAGE_SIZE, ...(cursor === '' ? {} : { cursor }) };
  const answer = await send(`query/users/${alias}`, bodyById(body, users, pagination), { signal });
  return {
    users: (await answer.json()) as readonly User[],
    next: answer.headers.get('X-Next-Cursor') ?? undefined,
    total: undefined,
  };
}

function UserRows({ alias, asked, users, question }: UsersProps & { readonly question: KeptQuestion }) {
  const cursor = place.value.parameters.get('cursor') ?? '';
  const about = [alias, asked.subject, JSON.stringify(users)];
  const options = { since: asked.since };
  const { value, error, loading, isOld, again } = useAnswer(
    (signal) => loadUsers(alias, asked, users, signal),
    [...about, cursor],
    options,
  );
  const total = useTotal(alias, asked, users);
  const questionText = JSON.stringify(question);
  const table = useMemo(
    () =>
      value !== undefined &&
      value.users.length > 0 && <UserTable users={value.users} asked={users} question={question} />,
    [value, questionText],
  );
  const turn = (to: string) => {
    keepInstant(asked);
    turnTo({ cursor: to });
  };
  return (
    <section class={isOld ? 'rows old' : 'rows'} aria-labelledby="rows" aria-busy={loading}>
      <header>
        <h2 id="rows" tabIndex={-1}>
          {users.sequence === undefined ? 'By user' : 'Users'}
        </h2>
        <ShownTime asked={asked} />
        {canOrder(users) ? <UserOrderChoice order={users.order} /> : <span class="hint">By ID</span>}
      </header>
      {error !== undefined && <Refusal error={error} again={again} />}
      {value === undefined && error === undefined && <Skeleton of="rows" />}
      {value?.users.length === 0 && <NoUsers alias={alias} asked={asked} users={users} />}
      {table}
      {value !== undefined && (
        <Turning
          shown={value.users.length}
          total={isOld ? undefined : (value.total ?? total)}
          first={cursor === '' ? undefined : () => turn('')}
          next={value.next === undefined ? undefined : () => turn(value.next!)}
          size={PAGE_SIZE}
          what="users"
        />
      )}
      {value?.total !== undefined && value.total > value.users.length && (
        <p class="hint">In this order, the first {PAGE_SIZE} are shown. By ID, all of them come in pages.</p>
      )}
    </section>
  );
}

/** How many users there are; undefined until that is known, and where a condition of users restricts them. */
function useTotal(alias: string, asked: AskedQuestion, users: ListedUsers): number | undefined {
  const isCounted = canOrder(users) && users.order === '';
  const body = bodyOfEvents(asked.body, users);
  const { value, isOld } = useAnswer(
    async (signal) =>
      isCounted
        ? ask<Breakdown>(`query/breakdown/${alias}`, { ...body, by: USER_ID, size: 1 }, { signal })
        : undefined,
    [alias, asked.subject, JSON.stringify(users)],
    { since: asked.since, isAside: true },
  );
  return isOld ? undefined : value?.groupsTotal;
}

/** The choice of an order. Each of them is exact: by their IDs, or by a figure that is taken of all users. */
function UserOrderChoice({ order }: { readonly order: UserOrder }) {
  return (
    <label class="inline-label">
      Order
      <select
        value={order}
        onChange={({ currentTarget: { value } }) => setParameters({ sort: value, cursor: '' })}
      >
        <option value="">by ID</option>
        {USER_ORDERS.map(([each, text]) => (
          <option key={each} value={each}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

interface NoUsersProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly users: ListedUsers;
}

/** What the page says when no user is listed. */
function NoUsers({ alias, asked: { range }, users }: NoUsersProps) {
  if (users.sequence !== undefined && users.search === '')
    return <Empty title="No users">Nobody came so far in this range of time.</Empty>;
  const isAll = isAllTime(range);
  return (
    <Empty title={isAll ? 'No users match' : 'No users match in this range of time'}>
      Capital letters count in a search.{' '}
      {isAll ? (
        <a href={linkTo('users', alias, { range: 'all' })}>Show all users of all time.</a>
      ) : (
        <button type="button" class="small" onClick={() => setQuestion({ ...NO_RANGE, range: 'all' })}>
          Search in all time
        </button>
      )}
    </Empty>
  );
}
