import { useState } from 'preact/hooks';
import type { ComparisonName, Filter, FilterEntry } from '../../../../src/index.ts';
import type { Property } from '../api.ts';
import { Icon } from '../parts.tsx';
import { COMPARISONS, isGroup, seen } from './state.ts';

interface EditorProps<E> {
  readonly entry: E;
  readonly properties: readonly Property[];
  readonly onChange: (entry: FilterEntry) => void;
  readonly onRemove: () => void;
}

/** A comparison that says nothing yet. */
export const NEW_FILTER: Filter = { property: '', comparison: 'EQUALS', value: '' };

/** A list of entries, each of which may be a group. */
export function Entries({
  entries,
  properties,
  onChange,
}: {
  readonly entries: readonly FilterEntry[];
  readonly properties: readonly Property[];
  readonly onChange: (entries: readonly FilterEntry[]) => void;
}) {
  return (
    <ul class="entries">
      {entries.map((entry, i) => (
        <li key={i}>
          <Entry
            entry={entry}
            properties={properties}
            onChange={(next) => onChange(entries.with(i, next))}
            onRemove={() => onChange(entries.toSpliced(i, 1))}
          />
        </li>
      ))}
      <li class="adding">
        <button type="button" class="small" onClick={() => onChange([...entries, NEW_FILTER])}>
          <Icon name="plus" /> Filter
        </button>
        <button
          type="button"
          class="small ghost"
          onClick={() => onChange([...entries, { anyOf: [NEW_FILTER] }])}
        >
          <Icon name="plus" /> Group
        </button>
      </li>
    </ul>
  );
}

function Entry(props: EditorProps<FilterEntry>) {
  const { entry } = props;
  if ('not' in entry || isGroup(entry)) return <Group {...props} entry={entry} />;
  return <Condition {...props} entry={entry} />;
}

type Kind = 'anyOf' | 'allOf' | 'not anyOf' | 'not allOf';
const KINDS: Readonly<Record<Kind, string>> = {
  anyOf: 'any of these',
  allOf: 'all of these',
  'not anyOf': 'none of these',
  'not allOf': 'not all of these',
};

/** A group as its kind and what it holds: what is negated alone is a group of one. */
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

function Group({ entry, properties, onChange, onRemove }: EditorProps<Exclude<FilterEntry, Filter>>) {
  const [kind, entries] = readGroup(entry);
  return (
    <fieldset class="group">
      <legend class="hidden">Group: {KINDS[kind]}</legend>
      <div class="row">
        <select
          aria-label="What of the group has to match"
          value={kind}
          onChange={(e) => onChange(writeGroup(e.currentTarget.value as Kind, entries))}
        >
          {Object.entries(KINDS).map(([name, text]) => (
            <option key={name} value={name}>
              {text}
            </option>
          ))}
        </select>
        <button type="button" class="ghost" aria-label="Remove the group" onClick={onRemove}>
          <Icon name="close" />
        </button>
      </div>
      <Entries
        entries={entries}
        properties={properties}
        onChange={(next) => onChange(writeGroup(kind, next))}
      />
    </fieldset>
  );
}

type Type = 'text' | 'number' | 'boolean';
type Scalar = string | number | boolean;

function typeOf(value: unknown): Type {
  return typeof value === 'number' ? 'number' : typeof value === 'boolean' ? 'boolean' : 'text';
}

/** The type that a path has most often; nothing is inferred from what a text looks like. */
function usualType(property: Property | undefined): Type {
  const [most] = Object.entries(property?.types ?? {}).sort((a, b) => b[1] - a[1]);
  return most?.[0] === 'number' ? 'number' : most?.[0] === 'boolean' ? 'boolean' : 'text';
}

/** A scalar as it is typed; nothing for what is none. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

function toScalar(type: Type, text: string): Scalar {
  if (type === 'number') return Number(text);
  return type === 'boolean' ? text === 'true' : text;
}

function Condition({ entry, properties, onChange, onRemove }: EditorProps<Filter>) {
  const { property, comparison, value } = entry;
  const takes = COMPARISONS[comparison][1];
  const known = properties.find(({ path }) => path === property);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const [type, setType] = useState<Type>(typeOf(first));
  const write = (changes: object) => onChange({ ...entry, ...changes });
  const choose = (path: string) => {
    const found = properties.find((each) => each.path === path);
    const next = found === undefined || takes === 'text' ? type : usualType(found);
    setType(next);
    // What was typed before is of another type.
    write({
      property: path,
      ...(next === type || takes === 'none' ? {} : { value: takes === 'list' ? [] : toScalar(next, '') }),
    });
  };
  const compare = (name: ComparisonName) => {
    const kind = COMPARISONS[name][1];
    const scalar = (first ?? '') as Scalar;
    const text = kind === 'text' ? String(scalar) : scalar;
    write({
      comparison: name,
      value: kind === 'none' ? null : kind === 'list' ? (scalar === '' ? [] : [scalar]) : text,
    });
    if (kind === 'text') setType('text');
  };
  const retype = (next: Type) => {
    setType(next);
    write({ value: takes === 'list' ? [] : toScalar(next, textOf(first)) });
  };
  return (
    <div class="condition">
      <input
        class="path"
        list="paths"
        required
        placeholder="properties.plan"
        aria-label="Property"
        value={property}
        onInput={(e) => choose(e.currentTarget.value)}
      />
      <select
        aria-label="Comparison"
        value={comparison}
        onChange={(e) => compare(e.currentTarget.value as ComparisonName)}
      >
        {Object.entries(COMPARISONS).map(([name, [text]]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </select>
      {takes !== 'none' && takes !== 'text' && (
        <select
          aria-label="Type of the value"
          value={type}
          onChange={(e) => retype(e.currentTarget.value as Type)}
        >
          <option value="text">text</option>
          <option value="number">number</option>
          {takes !== 'ordered' && <option value="boolean">true or false</option>}
        </select>
      )}
      {takes !== 'none' && (
        <Value
          takes={takes}
          type={takes === 'text' ? 'text' : type}
          value={value}
          examples={known?.examples ?? []}
          onChange={(next) => write({ value: next })}
        />
      )}
      <button
        type="button"
        class="ghost"
        aria-label={`Remove the filter on ${property || 'nothing yet'}`}
        onClick={onRemove}
      >
        <Icon name="close" />
      </button>
      {known !== undefined && <p class="hint wide">{describe(known)}</p>}
    </div>
  );
}

function describe({ types, examples }: Property): string {
  const held = Object.entries(types).map(([type, count]) => `${type} in ${count.toLocaleString('en')}`);
  const some = examples.slice(0, 3).map((each) => seen(JSON.stringify(each)).slice(0, 60));
  return `${held.join(', ')} events${some.length === 0 ? '' : `, for example ${some.join(', ')}`}`;
}

interface ValueProps {
  readonly takes: string;
  readonly type: Type;
  readonly value: unknown;
  readonly examples: readonly Scalar[];
  readonly onChange: (value: unknown) => void;
}

function Value({ takes, type, value, examples, onChange }: ValueProps) {
  const [listed, setListed] = useState(Array.isArray(value) ? value.join('\n') : '');
  if (takes === 'list') {
    const lines = (text: string) => text.split('\n').filter((line) => line !== '');
    return (
      <textarea
        class="value"
        rows={3}
        aria-label="Values, one on each line"
        placeholder="one on each line"
        value={listed}
        onInput={(e) => {
          setListed(e.currentTarget.value);
          onChange(lines(e.currentTarget.value).map((line) => toScalar(type, line)));
        }}
      />
    );
  }
  if (type === 'boolean') {
    return (
      <select
        class="value"
        aria-label="Value"
        value={String(value === true)}
        onChange={(e) => onChange(e.currentTarget.value === 'true')}
      >
        <option value="true">true</option>
        <option value="false">false</option>
      </select>
    );
  }
  return (
    <>
      <input
        class="value"
        aria-label="Value"
        {...(type === 'number' ? { type: 'number', step: 'any', required: true } : {})}
        list={examples.length === 0 ? undefined : 'examples'}
        defaultValue={textOf(value)}
        onInput={(e) => onChange(toScalar(type, e.currentTarget.value))}
      />
      {examples.length > 0 && (
        <datalist id="examples">
          {examples.map((each) => (
            <option key={String(each)} value={String(each)} />
          ))}
        </datalist>
      )}
    </>
  );
}
