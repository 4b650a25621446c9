import { useEffect, useId, useRef, useState } from 'preact/hooks';
import { figure } from '../../parts/figure.ts';
import type { ComparisonName, Filter, FilterEntry } from '../../../../../src/index.ts';
import { Select } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Property } from '../../server/answers.ts';
import { choices } from '../../server/choices.ts';
import { FIELDS, seen, takenBy } from '../state.ts';

/** What an editor of an entry is told. */
export interface EditorProps<E> {
  readonly entry: E;
  readonly properties: readonly Property[];
  readonly onChange: (entry: FilterEntry) => void;
  readonly onRemove: () => void;
}

type Type = 'text' | 'number' | 'boolean';
type Scalar = string | number | boolean;

const TYPES = [
  ['text', 'text'],
  ['number', 'number'],
  ['boolean', 'true or false'],
] as const;
const TRUTHS = [
  ['true', 'true'],
  ['false', 'false'],
] as const;

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

/**
 * Who adds a filter goes on with its path. A browser does so for the attribute `autofocus` only while nothing
 * of a page has had the focus.
 */
function goOn(path: HTMLInputElement | null): void {
  if (path?.value === '') path.focus();
}

/** One comparison: a path, a word, a value of a type. */
export function Condition({ entry, properties, onChange, onRemove }: EditorProps<Filter>) {
  const { property, comparison, value } = entry;
  const takes = takenBy(comparison);
  const known = properties.find(({ path }) => path === property);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const [type, setType] = useState<Type>(typeOf(first));
  /** Whether a path was typed of which nothing is known yet, and no type was chosen for it. */
  const isGuess = useRef(false);
  const write = (changes: object) => onChange({ ...entry, ...changes });
  const choose = (path: string) => {
    const found = properties.find((each) => each.path === path);
    isGuess.current = found === undefined;
    const next = found === undefined || takes === 'text' ? type : usualType(found);
    setType(next);
    // What was typed before is of another type.
    write({
      property: path,
      ...(next === type || takes === 'none' ? {} : { value: takes === 'list' ? [] : toScalar(next, '') }),
    });
  };
  const compare = (name: ComparisonName) => {
    const kind = takenBy(name);
    const scalar = (first ?? '') as Scalar;
    const text = kind === 'text' ? String(scalar) : scalar;
    write({
      comparison: name,
      value: kind === 'none' ? null : kind === 'list' ? (scalar === '' ? [] : [scalar]) : text,
    });
    if (kind === 'text') setType('text');
  };
  const retype = (next: Type) => {
    isGuess.current = false;
    setType(next);
    write({ value: takes === 'list' ? [] : toScalar(next, textOf(first)) });
  };
  useEffect(() => {
    if (known === undefined || !isGuess.current) return;
    isGuess.current = false;
    const next = usualType(known);
    const texts = (Array.isArray(value) ? value : [value]).map(textOf);
    const fits = next !== 'number' || texts.every((text) => Number.isFinite(Number(text)));
    if (takes === 'text' || takes === 'none' || !fits) return;
    // What was typed meanwhile is read as what the path turns out to hold.
    setType(next);
    const read = texts.map((text) => toScalar(next, text));
    write({ value: takes === 'list' ? read : read[0] });
  }, [known]);
  return (
    <div class="condition">
      <input
        class="path"
        list="paths"
        required
        ref={goOn}
        placeholder="properties.plan"
        aria-label="Property"
        value={property}
        onInput={(e) => choose(e.currentTarget.value)}
      />
      <Select
        aria-label="Comparison"
        options={choices.value.comparisons.map(({ name, said }) => [name, said] as const)}
        value={comparison}
        onValue={compare}
      />
      {takes !== 'none' && takes !== 'text' && (
        <Select
          class="type"
          aria-label="Type of the value"
          options={TYPES.filter(([each]) => takes !== 'ordered' || each !== 'boolean')}
          value={type}
          onValue={retype}
        />
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
      {property !== '' && <p class="hint wide">{describe(property, known, properties)}</p>}
    </div>
  );
}

/** What is known of a path; a line that is not known yet has its room. */
function describe(path: string, known: Property | undefined, properties: readonly Property[]): string {
  if (FIELDS.includes(path)) return 'a field that every event has';
  if (known === undefined) return properties.length === 0 ? '\u00a0' : 'no event was seen to have this path';
  const { types, examples } = known;
  const held = Object.entries(types).map(([type, count]) => `${type} in ${figure(count)}`);
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
  const id = useId();
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
      <Select
        class="value"
        aria-label="Value"
        options={TRUTHS}
        value={value === true ? 'true' : 'false'}
        onValue={(text) => onChange(text === 'true')}
      />
    );
  }
  return (
    <>
      <input
        class="value"
        aria-label="Value"
        {...(type === 'number' ? { type: 'number', step: 'any', required: true } : {})}
        list={examples.length === 0 ? undefined : id}
        defaultValue={textOf(value)}
        onInput={(e) => onChange(toScalar(type, e.currentTarget.value))}
      />
      {examples.length > 0 && (
        <datalist id={id}>
          {examples.map((each) => (
            <option key={String(each)} value={String(each)} />
          ))}
        </datalist>
      )}
    </>
  );
}
