import type { Breakdown, CountBody, Filter } from '../../../../src/index.ts';
import { cut, written } from '../address/written.ts';
import { GROUPS_MAX } from '../explore/group-search.ts';
import { figure } from '../parts/figure.ts';
import { List } from '../parts/list.tsx';
import { Share } from '../parts/share.tsx';
import { Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { presenceOf } from './presence.ts';

/** How many characters of a value are shown. */
const VALUE_LENGTH = 80;

interface PresenceListProps {
  readonly title: string;
  readonly alias: string;
  /** The question for all events. */
  readonly all: CountBody;
  /** What events have that have the path. */
  readonly filters: readonly Filter[];
  /** By the values of which path the events are told apart. */
  readonly by: string;
}

/** Of the events of each value, how many have a path. */
export function PresenceList({ title, alias, all, filters, by }: PresenceListProps) {
  const { value, error, again, isOld } = useAnswer(
    async (signal) => {
      const groupsOf = (body: CountBody) =>
        ask<Breakdown>(`query/breakdown/${alias}`, { ...body, by, size: GROUPS_MAX }, { signal });
      const [whole, having] = await Promise.all([groupsOf(all), groupsOf({ ...all, filterSet: filters })]);
      const rows = presenceOf(whole, having);
      const values = rows.filter(({ key }) => key !== null).length;
      return { rows, values, groupsTotal: whole.groupsTotal };
    },
    [alias, JSON.stringify([all, filters]), by],
  );
  return (
    <div class="presence" aria-busy={value === undefined || isOld}>
      <h3>
        <bdi>{title}</bdi>
      </h3>
      {error !== undefined && <Refusal error={error} again={again} />}
      {value === undefined || isOld ? (
        error === undefined && <p class="muted">Counting…</p>
      ) : (
        <>
          {value.values < value.groupsTotal && (
            <p class="hint">
              {figure(value.values)} of {figure(value.groupsTotal)} values, the most frequent.
            </p>
          )}
          <List
            label={title}
            rows={value.rows}
            keyOf={({ key }) => JSON.stringify(key)}
            columns={[
              {
                head: 'Value',
                cell: ({ key }) =>
                  key === null ? (
                    <span class="muted">missing or null</span>
                  ) : (
                    <bdi>{cut(written(key), VALUE_LENGTH)}</bdi>
                  ),
              },
              {
                head: 'Events with it',
                class: 'properties-share',
                cell: ({ count, total }) => <Share count={count} total={total} />,
              },
              { head: 'Of', class: 'number', cell: ({ total }) => figure(total) },
            ]}
          />
        </>
      )}
    </div>
  );
}
