import { useRef } from 'preact/hooks';
import type { Filter, FilterEntry } from '../../../../../src/index.ts';
import { Select } from '../../parts/field.tsx';
import { AddFilter, AddGroup } from './add-filter.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Condition, type EditorProps } from './condition.tsx';
import { isGroup } from '../../address/question.ts';

/** The editor of a list of filter entries, each of which may be a group. */
function Entries({
  entries,
  seenPaths,
  asked,
  onChange,
}: Pick<EditorProps<Filter>, 'seenPaths' | 'asked'> & {
  readonly entries: readonly FilterEntry[];
  readonly onChange: (entries: readonly FilterEntry[]) => void;
}) {
  const keys = useRef<number[]>([]);
  const made = useRef(0);
  // An entry keeps its key when an earlier one is removed, and so keeps its typed text.
  while (keys.current.length < entries.length) keys.current.push(made.current++);
  const remove = (i: number) => {
    keys.current.splice(i, 1);
    onChange(entries.toSpliced(i, 1));
  };
  return (
    <ul class="entries">
      {entries.map((entry, i) => (
        <li key={keys.current[i]}>
          <Entry
            entry={entry}
            seenPaths={seenPaths}
            asked={asked}
            onChange={(next) => onChange(entries.with(i, next))}
            onRemove={() => remove(i)}
          />
        </li>
      ))}
      <li class="adding">
        <AddFilter onAdd={(added) => onChange([...entries, added])} />
        <AddGroup onAdd={(added) => onChange([...entries, added])} />
      </li>
    </ul>
  );
}

/** The editor of one filter entry, which may be a group. */
export function Entry(props: EditorProps<FilterEntry>) {
  const { entry } = props;
  if ('not' in entry || isGroup(entry)) return <Group {...props} entry={entry} />;
  return <Condition {...props} entry={entry} />;
}

type Kind = 'anyOf' | 'allOf' | 'not anyOf' | 'not allOf';
const KINDS: readonly (readonly [Kind, string])[] = [
  ['anyOf', 'any of these'],
  ['allOf', 'all of these'],
  ['not anyOf', 'none of these'],
  ['not allOf', 'not all of these'],
];

/** Splits a group into its kind and its entries. A single negated entry is a group of one. */
function readGroup(entry: Exclude<FilterEntry, Filter>): readonly [Kind, readonly FilterEntry[]] {
  if ('anyOf' in entry) return ['anyOf', entry.anyOf];
  if ('allOf' in entry) return ['allOf', entry.allOf];
  const { not } = entry;
  if ('anyOf' in not) return ['not anyOf', not.anyOf];
  if ('allOf' in not) return ['not allOf', not.allOf];
  return ['not allOf', [not]];
}

function writeGroup(kind: Kind, entries: readonly FilterEntry[]): FilterEntry {
  const group = kind.endsWith('anyOf') ? { anyOf: entries } : { allOf: entries };
  return kind.startsWith('not') ? { not: group } : group;
}

function Group({ entry, seenPaths, asked, onChange, onRemove }: EditorProps<Exclude<FilterEntry, Filter>>) {
  const [kind, entries] = readGroup(entry);
  return (
    <fieldset class="group">
      <legend class="hidden">Group: {KINDS.find(([each]) => each === kind)?.[1]}</legend>
      <div class="row">
        <Select
          aria-label="Group operator"
          options={KINDS}
          value={kind}
          onValue={(next) => onChange(writeGroup(next, entries))}
        />
        {onRemove !== undefined && (
          <button type="button" class="ghost" aria-label="Remove the group" onClick={onRemove}>
            <Icon name="close" />
          </button>
        )}
      </div>
      <Entries
        entries={entries}
        seenPaths={seenPaths}
        asked={asked}
        onChange={(next) => onChange(writeGroup(kind, next))}
      />
    </fieldset>
  );
}
