import { useState } from 'preact/hooks';
import type { Breakdown } from '../../../../src/index.ts';
import type { Group } from '../../../../src/store-kit.ts';
import { place } from '../address/place.ts';
import { cut, seen, written } from '../address/written.ts';
import { figure } from '../parts/figure.ts';
import { Refusal } from '../parts/text.tsx';
import { lazy, Loaded } from '../parts/lazy.tsx';
import { UserLink } from '../parts/user-link.tsx';
import { SearchField } from '../parts/search-field.tsx';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { Bar } from './bar.tsx';
import { askFor } from './filter/ask-for.ts';
import { hasValue } from './filter/comparisons.ts';
import { countBeyond, nameOfGroup } from './filter/found-groups.ts';
import type { GroupChanges } from './compared-groups.ts';
import { useGroupChanges } from './group-changes.ts';
import { GROUPS_FIRST, GROUPS_MAX, questionOfGroups, useGroupSearch } from './group-search.ts';
import type { AnsweredGroups } from './groups-csv.ts';
import { OnlyNot } from './only-not.tsx';
import type { AskedQuestion } from './asked-question.ts';

/** The button that saves the groups as a file. It loads after them, since many people only read. */
const SAVE_GROUPS = lazy(async () => (await import('./save-groups.tsx')).SaveGroups);

/** How many groups are asked for: at first, and by each click for more. */
const GROUP_SIZES = [GROUPS_FIRST, 100, GROUPS_MAX] as const;
/** How many values that are gone are shown. */
const GONE_MAX = 10;
/** The number of values from which a search among them is worth its room. */
const SEARCHED_MIN = 8;

interface GroupListProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  /** The path at whose values the groups are. */
  readonly by: string;
}

/** The groups of all matching events by the value at a path, the largest first. */
export function GroupList({ alias, asked, by }: GroupListProps) {
  const [size, setSize] = useState<number>(GROUP_SIZES[0]);
  const [search, setSearch] = useState({ by, text: '' });
  // A search is for values of one path.
  const text = search.by === by ? search.text : '';
  const setText = (next: string) => setSearch({ by, text: next });
  const { value, error, loading, isOld, again } = useAnswer(
    async (signal): Promise<AnsweredGroups> => {
      const question = questionOfGroups(asked.body, by, size);
      // The groups of the previous path stay until the new ones arrive, so they keep their own path.
      return { ...(await ask<Breakdown>(`query/breakdown/${alias}`, question, { signal })), property: by };
    },
    [alias, asked.subject, by, size],
    { since: asked.since },
  );
  const compares = place.value.parameters.get('compare') === 'before';
  const changes = useGroupChanges(alias, asked, by, compares);
  const found = useGroupSearch({ alias, asked, by, text, known: isOld ? undefined : value });
  if (error !== undefined) return <Refusal error={error} again={again} />;
  if (value === undefined) return <p class="muted">Counting…</p>;
  const { groups, groupsTotal, total, distinct } = value;
  const next = GROUP_SIZES.find((each) => each > size);
  return (
    <div class={isOld ? 'group-list old' : 'group-list'} aria-busy={loading}>
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
      {(groupsTotal >= SEARCHED_MIN || text !== '') && (
        <Search text={text} said={found.said} onText={setText} />
      )}
      <Bars
        answered={value}
        groups={text === '' ? groups : found.groups}
        isSearch={text !== ''}
        changes={isOld ? undefined : changes}
      />
      <div class="group-acts">
        {text === '' && next !== undefined && groupsTotal > groups.length && (
          <button type="button" class="small" onClick={() => setSize(next)}>
            Show up to {figure(next)}
          </button>
        )}
        <Loaded of={SAVE_GROUPS} props={{ alias, asked, answered: value, isStale: isOld }} isDialog />
      </div>
    </div>
  );
}

interface SearchProps {
  readonly text: string;
  /** What the search has found. */
  readonly said: string;
  readonly onText: (text: string) => void;
}

function Search({ text, said, onText }: SearchProps) {
  return (
    <div class="group-search">
      <SearchField placeholder="Search values" value={text} onValue={onText} />
      <span class="hint" role="status">
        {text === '' ? '' : said}
      </span>
    </div>
  );
}

interface BarsProps {
  readonly answered: AnsweredGroups;
  /** The groups to show: those of the answer, or those that a search has found. */
  readonly groups: readonly Group[];
  readonly isSearch: boolean;
  /** What they were in the period before, if they are compared with it. */
  readonly changes: GroupChanges | undefined;
}

/**
 * The groups as bars, of which the longest is the largest group, or the events without one. The list scrolls
 * by itself.
 */
function Bars({ answered, groups, isSearch, changes }: BarsProps) {
  const { groupsTotal, total, missing, arrays, objects, property } = answered;
  const beyond = countBeyond(answered);
  // The chart colors the most frequent values, where it shows how many events there are.
  const isColored = !isSearch && !place.value.parameters.has('measure');
  const rest = isSearch ? [] : [missing, arrays, objects];
  const largest = Math.max(groups[0]?.count ?? 0, ...rest);
  return (
    <ul class="bars">
      {groups.map((group, i) => (
        <Bar
          key={nameOfGroup(group)}
          text={<Value of={group} property={property} />}
          {...(isColored ? { place: i } : {})}
          count={group.count}
          users={group.distinct}
          largest={largest}
          total={total}
          change={changes?.ofGroup(group)}
        >
          <OnlyNot
            name={cut(written(group.key), TEXT_LENGTH)}
            only={property === 'userId' ? hasValue(property, group.key, false) : undefined}
            not={hasValue(property, group.key, true)}
          />
        </Bar>
      ))}
      {!isSearch && (
        <>
          {beyond > 0 && (
            <Bar
              text={`${figure(groupsTotal - answered.groups.length)} other values`}
              count={beyond}
              total={total}
            />
          )}
          {UNGROUPED.map(([kind, text]) => {
            const change = changes?.ofUngrouped(kind);
            if (answered[kind] === 0 && change === undefined) return null;
            return (
              <Bar
                key={kind}
                text={text}
                count={answered[kind]}
                largest={largest}
                total={total}
                change={change}
              >
                {kind === 'missing' && (
                  <OnlyNot
                    name="missing"
                    only={hasValue(property, null, false)}
                    not={hasValue(property, null, true)}
                  />
                )}
              </Bar>
            );
          })}
          {changes !== undefined && <Gone changes={changes} property={property} />}
        </>
      )}
    </ul>
  );
}

/** The events whose values are no groups. */
const UNGROUPED = [
  ['missing', 'missing or null'],
  ['arrays', 'lists'],
  ['objects', 'objects'],
] as const;

/** The values that only the period before had. */
function Gone({ changes, property }: { readonly changes: GroupChanges; readonly property: string }) {
  const { gone, ofGone } = changes;
  return (
    <>
      {gone.slice(0, GONE_MAX).map((group) => (
        <Bar
          key={nameOfGroup(group)}
          text={<Value of={group} property={property} />}
          count={0}
          change={ofGone(group)}
        />
      ))}
      {gone.length > GONE_MAX && <Bar text={`${figure(gone.length - GONE_MAX)} more are gone`} count={0} />}
    </>
  );
}

/** How many characters of a value are shown. Its title has more of them. */
const TEXT_LENGTH = 240;

/** The value of a group. A text that looks like another type is in quotes. */
function Value({ of: { key }, property }: { readonly of: Group; readonly property: string }) {
  const text = cut(written(key), TEXT_LENGTH);
  if (property === 'userId') return <UserLink user={String(key)}>{text}</UserLink>;
  return (
    <button
      type="button"
      class="as-text"
      aria-label={`only: ${text}`}
      title={`Only these: ${written(key)}`}
      onClick={() => askFor(hasValue(property, key, false))}
    >
      {key === '' ? '(empty text)' : text}
    </button>
  );
}
