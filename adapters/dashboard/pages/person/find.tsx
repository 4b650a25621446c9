import { useState } from 'preact/hooks';
import type { Breakdown } from '../../../../src/index.ts';
import { seen } from '../address/written.ts';
import { Bar } from '../explore/bar.tsx';
import { TextField } from '../parts/field.tsx';
import { figure } from '../parts/figure.ts';
import { Empty, PageHead, Refusal } from '../parts/text.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { linkToUser, UserLink } from '../parts/user-link.tsx';

const SIZE = 20;

/** The page from which a person goes to a user: by the user's ID, or by a list of the most active. */
export function FindUser({ alias }: { readonly alias: string }) {
  const [typed, setTyped] = useState('');
  const { value, error, loading, again } = useAnswer(
    (signal) => ask<Breakdown>(`query/breakdown/${alias}`, { by: 'userId', size: SIZE }, { signal }),
    [alias],
  );
  return (
    <>
      <PageHead title="Users" lead="Find a user by ID to see all their events in order." />
      <form
        class="row find-user"
        onSubmit={(event) => {
          event.preventDefault();
          location.hash = linkToUser(alias, typed);
        }}
      >
        <TextField
          label="User ID"
          required
          maxLength={256}
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onValue={setTyped}
        />
        <button type="submit" class="primary">
          Show user
        </button>
      </form>
      <section class="card groups" aria-labelledby="most" aria-busy={loading}>
        <header>
          <h2 id="most">Most active users</h2>
          {value !== undefined && (
            <span class="hint">
              {figure(value.groupsTotal)} {value.groupsTotal === 1 ? 'user' : 'users'} in total
            </span>
          )}
        </header>
        {error !== undefined && <Refusal error={error} again={again} />}
        {value?.groups.length === 0 && (
          <Empty title="No users yet">A user appears with the first event.</Empty>
        )}
        <ul class="bars">
          {value?.groups.map(({ key, count }) => (
            <Bar
              key={String(key)}
              text={<UserLink user={String(key)}>{seen(String(key))}</UserLink>}
              count={count}
              largest={value.groups[0]!.count}
            />
          ))}
        </ul>
      </section>
    </>
  );
}
