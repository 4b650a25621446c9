import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { figure } from '../../parts/figure.ts';
import type { ComparisonName, Filter, FilterEntry } from '../../../../../src/index.ts';
import { Select } from '../../parts/field.tsx';
import { Icon } from '../../parts/icon.tsx';
import type { Property, Scalar } from '../../../../../src/store-kit.ts';
import { choices } from '../../server/choices.ts';
import type { OpenQuestion } from './open-question.ts';
import { PathField } from './path-field.tsx';
import type { SeenPaths } from './seen-paths.ts';
import { FIELDS, toPath } from '../../address/paths.ts';
import { takenBy } from '../../address/question.ts';
import { cut, seen } from '../../address/written.ts';
import { SuggestedValues } from './suggested-values.tsx';
import { textOf, toScalar, Value } from './value.tsx';
import { typeOf, typeOfApplied, typesOf, type Type } from './value-type.ts';

/** The properties of an editor of a filter entry. */
export interface EditorProps<E> {
  readonly entry: E;
  readonly seenPaths: SeenPaths;
  readonly onChange: (entry: FilterEntry) => void;
  /** Absent where the form of the entry cannot remove it. */
  readonly onRemove?: () => void;
  /** The question without this entry, for which values are suggested. */
  readonly asked: OpenQuestion;
}

/** The fields of events whose values are suggested: the others differ from event to event. */
const SUGGESTED_FIELDS = ['eventName', 'userId', 'eventDate'];

/** The most frequent type at a path. The look of a text plays no part in this. */
function usualType(property: Property | undefined): Type {
  const [most] = Object.entries(property?.types ?? {}).sort((a, b) => b[1] - a[1]);
  return most?.[0] === 'number' ? 'number' : most?.[0] === 'boolean' ? 'boolean' : 'text';
}

/**
 * Focuses the path of a filter that the user has added. A browser respects `autofocus` only until an element
 * of the page has had the focus.
 */
function goOn(path: HTMLElement | null): void {
  const input = path?.querySelector('input');
  if (input?.value === '') input.focus();
}

/** What leads to the value of a condition: at once, or when its field is that of the path that was taken. */
function useWayToValue() {
  const root = useRef<HTMLDivElement>(null);
  const [taken, setTaken] = useState(0);
  const goToValue = () => root.current?.querySelector<HTMLElement>('.value')?.focus();
  useLayoutEffect(() => {
    if (taken > 0) goToValue();
  }, [taken]);
  return { root, goToValue, goOnToValue: () => setTaken(taken + 1) };
}

/** Whether there are values to suggest at a path: one that events have, or a field that many share. */
const hasValues = (path: string, known: Property | undefined) =>
  known !== undefined || SUGGESTED_FIELDS.includes(path);

/** The editor of one comparison: a path, an operator, and a value of a type. */
export function Condition({ entry, seenPaths, asked, onChange, onRemove }: EditorProps<Filter>) {
  const { property, comparison, value } = entry;
  const { root, goToValue, goOnToValue } = useWayToValue();
  const takes = takenBy(comparison);
  const types = typesOf(takes);
  const isOf = (each: Type) => types.some(([one]) => one === each);
  const { properties } = seenPaths;
  /** The path that the typed text means: that of a property has its beginning left out. */
  const path = toPath(property);
  const known = properties.find((each) => each.path === path);
  const first: unknown = Array.isArray(value) ? value[0] : value;
  const [type, setType] = useState<Type>(takes === 'scalar' ? typeOfApplied(property, first) : typeOf(first));
  /** The value with which the form began. While it stands, suggestions are the alternatives to it. */
  const [begun] = useState(value);
  /** Whether the type is a guess: the path is not known yet, and the user has chosen no type. */
  const isGuess = useRef(false);
  const write = (changes: object) => onChange({ ...entry, ...changes });
  /** The typed text as values of another type; empty where it is not of that type. */
  const readAs = (next: Type) => {
    const texts = (Array.isArray(value) ? value : [value]).map(textOf);
    // A boolean field always has a value, so it may not be the user's choice.
    const read = type === 'boolean' || type === 'empty' ? [] : texts.map((text) => toScalar(next, text));
    const fits = read.every((each) => typeOf(each) === next);
    if (takes === 'list') return fits ? read : [];
    return fits && read.length > 0 ? read[0] : toScalar(next, '');
  };
  const choose = (typed: string) => {
    const found = properties.find((each) => each.path === toPath(typed));
    isGuess.current = found === undefined;
    const next = found !== undefined && isOf(usualType(found)) ? usualType(found) : type;
    setType(next);
    write({ property: typed, ...(next === type ? {} : { value: readAs(next) }) });
  };
  const compare = (name: ComparisonName) => {
    const kind = takenBy(name);
    const scalar = (first ?? '') as Scalar;
    const fitting = typesOf(kind).map(([each]) => each);
    const next = fitting.includes(type) ? type : (fitting[0] ?? type);
    const single = next === type ? scalar : toScalar(next, textOf(scalar));
    write({
      comparison: name,
      value: kind === 'none' ? null : kind === 'list' ? (single === '' ? [] : [single]) : single,
    });
    setType(next);
  };
  const retype = (next: Type) => {
    isGuess.current = false;
    setType(next);
    write({ value: readAs(next) });
  };
  /** Takes a suggested value with its type. */
  const take = (chosen: Scalar) => {
    isGuess.current = false;
    setType(takes === 'scalar' ? typeOfApplied(path, chosen) : typeOf(chosen));
    const isSame = Array.isArray(value) && type === typeOf(chosen);
    const before = isSame ? (value as readonly Scalar[]) : [];
    write({
      property: path,
      value: takes === 'list' ? [...before.filter((each) => each !== chosen), chosen] : chosen,
    });
    goToValue();
  };
  useEffect(() => {
    if (known === undefined || !isGuess.current) return;
    isGuess.current = false;
    const next = usualType(known);
    if (!isOf(next) || next === type) return;
    // Text that was typed meanwhile is read as the type that the path turns out to hold.
    setType(next);
    write({ value: readAs(next) });
  }, [known]);
  const hasField = takes !== 'none' && type !== 'empty';
  return (
    <div class="condition" ref={root}>
      <Path
        seenPaths={seenPaths}
        value={property}
        onPath={choose}
        onEnter={hasField ? goOnToValue : undefined}
      />
      <Select
        aria-label="Comparison"
        options={choices.value.comparisons.map(({ name, said }) => [name, said] as const)}
        value={comparison}
        onValue={compare}
      />
      {types.length > 1 && (
        <Select class="type" aria-label="Type of the value" options={types} value={type} onValue={retype} />
      )}
      {hasField && (
        <Value
          takes={takes}
          type={types.length === 1 ? types[0]![0] : type}
          value={value}
          onChange={(next) => write({ value: next })}
        />
      )}
      {onRemove !== undefined && <Remove property={property} onRemove={onRemove} />}
      <Hint property={property} known={known} seenPaths={seenPaths} />
      {hasField && type !== 'boolean' && hasValues(path, known) && (
        <SuggestedValues
          path={path}
          asked={asked}
          typed={takes === 'list' || value === begun ? '' : textOf(value)}
          fits={(key) => isOf(typeOf(key))}
          onChoose={take}
        />
      )}
    </div>
  );
}

interface PathProps {
  readonly seenPaths: SeenPaths;
  readonly value: string;
  readonly onPath: (path: string) => void;
  readonly onEnter: (() => void) | undefined;
}

/** The field for the path of a condition. */
function Path({ seenPaths, value, onPath, onEnter }: PathProps) {
  return (
    <div class="path" ref={goOn}>
      <PathField
        seenPaths={seenPaths}
        required
        placeholder="properties.plan"
        aria-label="Property"
        value={value}
        onType={onPath}
        onCommit={onPath}
        onEnter={onEnter}
      />
    </div>
  );
}

function Remove({ property, onRemove }: { readonly property: string; readonly onRemove: () => void }) {
  const label = `Remove the filter on ${property || 'nothing yet'}`;
  return (
    <button type="button" class="ghost" aria-label={label} onClick={onRemove}>
      <Icon name="close" />
    </button>
  );
}

interface HintProps {
  readonly property: string;
  readonly known: Property | undefined;
  readonly seenPaths: SeenPaths;
}

/** The line below a condition: which path the typed text means, and what is known about it. */
function Hint({ property, known, seenPaths }: HintProps) {
  if (property === '') return null;
  const path = toPath(property);
  return (
    <p class="hint wide">
      {path !== property && <code>{seen(path)}</code>} {describe(path, known, seenPaths)}
    </p>
  );
}

/** Describes what is known about a path. A no-break space keeps room for a line that is not known yet. */
function describe(path: string, known: Property | undefined, { absenceOf }: SeenPaths): string {
  if (FIELDS.includes(path)) return 'a field of every event';
  if (known === undefined) return absenceOf(path) ?? '\u00a0';
  const { types, examples } = known;
  const held = Object.entries(types).map(([type, count]) => `${type} in ${figure(count)}`);
  const some = examples.slice(0, 3).map((each) => cut(JSON.stringify(each), 60));
  return `${held.join(', ')} events${some.length === 0 ? '' : `, for example ${some.join(', ')}`}`;
}
