import type { User } from '../../../../src/index.ts';
import type { KeptQuestion } from '../address/kept.ts';
import type { UserOrder } from '../address/user-orders.ts';
import { cut } from '../address/written.ts';
import { figure } from '../parts/figure.ts';
import { inZone, Table } from '../parts/list.tsx';
import { Time } from '../parts/text.tsx';
import { UserLink } from '../parts/user-link.tsx';
import type { ListedUsers } from './question.ts';

const TEXT_LENGTH = 120;

interface UserTableProps {
  readonly users: readonly User[];
  readonly asked: ListedUsers;
  /** The question that the pages of users lead back to. */
  readonly question: KeptQuestion;
}

/** Users with how many events they have, from when to when, and when they took the step of a sequence. */
export function UserTable({ users, asked: { sequence, order }, question }: UserTableProps) {
  const orderOf = (each: UserOrder) =>
    each === order ? ({ 'aria-sort': each === '' ? 'ascending' : 'descending' } as const) : {};
  const step = sequence === undefined ? '' : `Step ${sequence.step}`;
  return (
    <Table label="Rows of users" class="stack users">
      <thead>
        <tr>
          <th scope="col" {...orderOf('')}>
            User
          </th>
          <th scope="col" class="number" {...orderOf('events')}>
            Events
          </th>
          {step !== '' && <th scope="col">{inZone(step)}</th>}
          <th scope="col" {...orderOf('first')}>
            {inZone('First event')}
          </th>
          <th scope="col" {...orderOf('last')}>
            {inZone('Last event')}
          </th>
        </tr>
      </thead>
      <tbody>
        {users.map(({ key, count, first, last, at }) => (
          <tr key={JSON.stringify(key)}>
            <td data-label="User">
              <UserLink user={String(key)} question={question}>
                <bdi>{cut(String(key), TEXT_LENGTH)}</bdi>
              </UserLink>
            </td>
            <td class="number" data-label="Events">
              {figure(count)}
            </td>
            {sequence !== undefined && (
              <td data-label={step}>
                <Time ms={at?.[sequence.step - 1] ?? null} />
              </td>
            )}
            <td data-label="First event">
              <Time ms={first} />
            </td>
            <td data-label="Last event">
              <Time ms={last} />
            </td>
          </tr>
        ))}
      </tbody>
    </Table>
  );
}
