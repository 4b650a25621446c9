import { useId, useState } from 'preact/hooks';
import type { Breakdown } from '../../../../src/index.ts';
import type { Group } from '../../../../src/store-kit.ts';
import { cut, seen, written } from '../address/written.ts';
import { figure } from '../parts/figure.ts';
import { Notice, Refusal } from '../parts/text.tsx';
import { UserLink } from '../parts/user-link.tsx';
import { isAbort } from '../server/aborted.ts';
import { ask, messageOf } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { Bar } from './bar.tsx';
import { fileName, fileWord } from './file-name.ts';
import { hasValue } from './filter/comparisons.ts';
import { countBeyond, nameOfGroup } from './filter/found-groups.ts';
import { GROUPS_FIRST, GROUPS_MAX, questionOfGroups, useGroupSearch } from './group-search.ts';
import { toGroupsCsv, type AnsweredGroups } from './groups-csv.ts';
import { OnlyNot } from './only-not.tsx';
import { saveText } from './save.ts';
import { isFiltered, type AskedQuestion } from './asked-question.ts';

/** How many groups are asked for: at first, and by each click for more. */
const GROUP_SIZES = [GROUPS_FIRST, 100, GROUPS_MAX] as const;
/** The number of values from which a search among them is worth its room. */
const SEARCHED_MIN = 8;

interface GroupListProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  /** The path at whose values the groups are. */
  readonly by: string;
  /** Gives the answer with the first groups, which the chart needs too. */
  readonly first: () => Promise<Breakdown>;
}

/** The groups of all matching events by the value at a path, the largest first. */
export function GroupList({ alias, asked, by, first }: GroupListProps) {
  const [size, setSize] = useState<number>(GROUP_SIZES[0]);
  const [search, setSearch] = useState({ by, text: '' });
  // A search is for values of one path.
  const text = search.by === by ? search.text : '';
  const setText = (next: string) => setSearch({ by, text: next });
  const { value, error, loading, isOld, again } = useAnswer(
    async (signal): Promise<AnsweredGroups> => {
      const more = () =>
        ask<Breakdown>(`query/breakdown/${alias}`, questionOfGroups(asked.body, by, size), { signal });
      // The groups of the previous path stay until the new ones arrive, so they keep their own path.
      return { ...(await (size === GROUPS_FIRST ? first() : more())), property: by };
    },
    [alias, asked.subject, by, size],
    { since: asked.since },
  );
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
      <Bars answered={value} groups={text === '' ? groups : found.groups} isSearch={text !== ''} />
      <div class="group-acts">
        {text === '' && next !== undefined && groupsTotal > groups.length && (
          <button type="button" class="small" onClick={() => setSize(next)}>
            Show up to {figure(next)}
          </button>
        )}
        <SaveGroups answered={value} isStale={isOld} name={fileName(alias, asked, isFiltered(asked.body))} />
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
      <input
        type="search"
        aria-label="Search values"
        placeholder="Search values"
        autocomplete="off"
        spellcheck={false}
        value={text}
        onInput={({ currentTarget }) => onText(currentTarget.value)}
      />
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
}

/** The groups as bars, of which the longest is the largest group. The list scrolls by itself. */
function Bars({ answered, groups, isSearch }: BarsProps) {
  const { groupsTotal, total, missing, arrays, objects, property } = answered;
  const beyond = countBeyond(answered);
  const largest = groups[0]?.count ?? 0;
  return (
    <ul class="bars">
      {groups.map((group) => (
        <Bar
          key={nameOfGroup(group)}
          text={<Value of={group} property={property} />}
          count={group.count}
          users={group.distinct}
          largest={largest}
          total={total}
        >
          <OnlyNot
            name={cut(written(group.key), TEXT_LENGTH)}
            only={hasValue(property, group.key, false)}
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
          {missing > 0 && (
            <Bar text="missing or null" count={missing} total={total}>
              <OnlyNot
                name="missing"
                only={hasValue(property, null, false)}
                not={hasValue(property, null, true)}
              />
            </Bar>
          )}
          {arrays > 0 && <Bar text="lists" count={arrays} total={total} />}
          {objects > 0 && <Bar text="objects" count={objects} total={total} />}
        </>
      )}
    </ul>
  );
}

/** How many characters of a value are shown. Its title has more of them. */
const TEXT_LENGTH = 240;

/** The value of a group. A text that looks like another type is in quotes. */
function Value({ of: { key }, property }: { readonly of: Group; readonly property: string }) {
  if (key === '') return <>(empty text)</>;
  const text = cut(written(key), TEXT_LENGTH);
  if (property === 'userId') return <UserLink user={String(key)}>{text}</UserLink>;
  return <span title={written(key)}>{text}</span>;
}

interface SaveGroupsProps {
  readonly answered: AnsweredGroups;
  /** Whether the answer is one to an earlier question. */
  readonly isStale: boolean;
  /** The beginning of the file's name. */
  readonly name: string;
}

/** Saves the groups of the answer as a CSV file. It says so if there are more. */
function SaveGroups({ answered, isStale, name }: SaveGroupsProps) {
  const { groups, groupsTotal, property } = answered;
  const [error, setError] = useState<string>();
  const hint = useId();
  const isPartial = groupsTotal > groups.length;
  const save = () => {
    setError(undefined);
    const part = isPartial ? `_first-${groups.length}-of-${groupsTotal}` : '';
    const as = { name: `${name}_by-${fileWord(property)}${part}.csv`, type: 'text/csv' };
    saveText(as, toGroupsCsv(answered)).catch((failed: unknown) => {
      if (!isAbort(failed)) setError(messageOf(failed));
    });
  };
  return (
    <>
      <button
        type="button"
        class="small"
        disabled={isStale}
        aria-describedby={isPartial ? hint : undefined}
        onClick={save}
      >
        Save as CSV
      </button>
      {isPartial && (
        <span class="hint" id={hint}>
          The file holds the {figure(groups.length)} most frequent of {figure(groupsTotal)} values.
        </span>
      )}
      {error !== undefined && <Notice kind="error">{error}</Notice>}
    </>
  );
}
