import type { ComponentChildren } from 'preact';
import { useEffect, useId, useMemo, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import type { Breakdown, CountBody } from '../../../../src/index.ts';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { Field } from '../parts/field.tsx';
import { Notice, Refusal } from '../parts/text.tsx';
import { place, setParameters } from '../address/place.ts';
import { UserLink } from '../parts/user-link.tsx';
import { shortPath } from './event-table.tsx';
import { hasValue } from './filter/comparisons.ts';
import { OnlyNot } from './only-not.tsx';
import { suggestionsOf, type SeenPaths } from './filter/seen-paths.ts';
import { seen, toPath, written } from '../address/question.ts';
import type { AskedQuestion } from './time.ts';
import { isUnit } from '../time/unit.ts';

const SIZES = [10, 100, 1000];

/** The question for the groups of a path, `size` of them at most. */
export const questionOfGroups = (body: CountBody, by: string, size = SIZES[0]!) =>
  ({ ...body, by, size, distinct: 'userId' }) as const;

interface GroupsProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly seenPaths: SeenPaths;
}

/** The groups of all matching events by the value at a path. */
export function GroupsPanel({ alias, asked, seenPaths }: GroupsProps) {
  const by = place.value.parameters.get('by') ?? '';
  const [typed, setTyped] = useState(by);
  useEffect(() => setTyped(by), [by]);
  const hint = useId();
  const suggestions = useMemo(() => suggestionsOf(seenPaths), [seenPaths]);
  const absence = isUnit(by) ? undefined : seenPaths.absenceOf(toPath(by));
  const ask = (path: string) => setParameters({ by: isUnit(path.trim()) ? path.trim() : toPath(path) });
  return (
    <section class="card groups" aria-labelledby="groups">
      <header>
        <h2 id="groups">Break down</h2>
      </header>
      <form
        class="row"
        onSubmit={(event) => {
          event.preventDefault();
          ask(typed);
        }}
      >
        <Field label="By the values of">
          {(ids) => (
            <input
              {...ids}
              aria-describedby={absence === undefined ? undefined : hint}
              list="paths"
              placeholder="properties.country"
              value={typed}
              onInput={(e) => setTyped(e.currentTarget.value)}
              onChange={(e) => ask(e.currentTarget.value)}
            />
          )}
        </Field>
        {by !== '' && (
          <button
            type="button"
            class="ghost"
            onClick={() => {
              setTyped('');
              setParameters({ by: '' });
            }}
          >
            Clear
          </button>
        )}
      </form>
      {absence !== undefined && (
        <p class="hint" id={hint}>
          {absence}
        </p>
      )}
      {by === '' ? (
        <div class="chips">
          {suggestions.map((path) => (
            <button key={path} type="button" class="small chip" onClick={() => setParameters({ by: path })}>
              {shortPath(path)}
            </button>
          ))}
        </div>
      ) : isUnit(by) ? (
        <Notice kind="error">
          <bdi>{by}</bdi> is a unit of time, not a path. Choose it above the chart.
        </Notice>
      ) : (
        <List alias={alias} asked={asked} by={toPath(by)} />
      )}
    </section>
  );
}

function List({
  alias,
  asked,
  by,
}: {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly by: string;
}) {
  const [size, setSize] = useState(SIZES[0]!);
  const { value, error, loading, isOld, again } = useAnswer(
    async (signal) => {
      const question = questionOfGroups(asked.body, by, size);
      // The groups of the previous path stay until the new ones arrive, so they keep their own path.
      return { ...(await ask<Breakdown>(`query/breakdown/${alias}`, question, { signal })), property: by };
    },
    [alias, asked.subject, by, size],
    { since: asked.since },
  );
  if (error !== undefined) return <Refusal error={error} again={again} />;
  if (value === undefined) return <p class="muted">Counting…</p>;
  const { groups, groupsTotal, total, missing, arrays, objects, distinct, property } = value;
  const rest = total - missing - arrays - objects - groups.reduce((sum, { count }) => sum + count, 0);
  const next = SIZES.find((each) => each > size);
  return (
    <div class={isOld ? 'old' : ''} aria-busy={loading}>
      <p class="hint">
        {isOld ? (
          `Counting by ${seen(by)}…`
        ) : (
          <>
            {figure(groupsTotal)} {groupsTotal === 1 ? 'value' : 'values'},{' '}
            {distinct !== undefined && figure(distinct)} distinct users, {figure(total)} events
          </>
        )}
      </p>
      <ul class="bars">
        {groups.map(({ key, count, distinct: users }) => (
          <Bar
            key={`${typeof key} ${key}`}
            text={
              key === '' ? (
                '(empty text)'
              ) : property === 'userId' ? (
                <UserLink user={String(key)}>{written(key)}</UserLink>
              ) : (
                written(key)
              )
            }
            count={count}
            users={users}
            total={total}
          >
            <OnlyNot
              name={written(key)}
              only={hasValue(property, key, false)}
              not={hasValue(property, key, true)}
            />
          </Bar>
        ))}
        {rest > 0 && (
          <Bar
            other
            text={`${figure(groupsTotal - groups.length)} other values`}
            count={rest}
            total={total}
          />
        )}
        {missing > 0 && (
          <Bar other text="missing or null" count={missing} total={total}>
            <OnlyNot
              name="missing"
              only={hasValue(property, null, false)}
              not={hasValue(property, null, true)}
            />
          </Bar>
        )}
        {arrays > 0 && <Bar other text="lists" count={arrays} total={total} />}
        {objects > 0 && <Bar other text="objects" count={objects} total={total} />}
      </ul>
      {next !== undefined && groupsTotal > groups.length && (
        <button type="button" class="small" onClick={() => setSize(next)}>
          Show up to {next}
        </button>
      )}
    </div>
  );
}

interface BarProps {
  readonly text: ComponentChildren;
  readonly count: number;
  readonly total: number;
  readonly users?: number | undefined;
  readonly other?: boolean;
  readonly children?: ComponentChildren;
}

/** A group: its value, its number of events as a figure and as a bar, and what to do with it. */
export function Bar({ text, count, total, users, other = false, children }: BarProps) {
  return (
    <li class={other ? 'other' : ''}>
      <span class="bar-text">
        <bdi {...(typeof text === 'string' ? { title: text } : {})}>{text}</bdi>
      </span>
      <span class="bar-figure">
        {figure(count)}
        {users !== undefined && (
          <span class="muted">
            {' '}
            · {figure(users)} {users === 1 ? 'user' : 'users'}
          </span>
        )}
      </span>
      <span class="bar-acts">{children}</span>
      <svg class="bar-line" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
        <rect width={(count / Math.max(total, 1)) * 100} height="1" />
      </svg>
    </li>
  );
}
