import { useRef, useState } from 'preact/hooks';
import type { FilterEntry } from '../../../../../src/index.ts';
import { Field } from '../../parts/field.tsx';
import { Notice } from '../../parts/text.tsx';
import { place } from '../../address/place.ts';
import type { SeenPaths } from './seen-paths.ts';
import { NEW_FILTER } from './comparisons.ts';
import { Entries } from './filter-editor.tsx';
import { FILTER_FIELDS, filtersOf, setFilters, setQuestion } from '../../address/question.ts';

interface FilterBarProps {
  readonly seenPaths: SeenPaths;
  readonly withoutDates?: boolean;
  /** Whether the page already shows why there is no answer. */
  readonly isTold?: boolean;
}

/**
 * The form for the question: an event name, days, filters. Typed filters take effect when they are applied.
 */
export function FilterBar({ seenPaths, withoutDates = false, isTold = false }: FilterBarProps) {
  const { parameters } = place.value;
  const event = parameters.get('event') ?? '';
  const { names, properties, error } = seenPaths;
  const card = useRef<HTMLElement>(null);
  const stay = () => card.current?.focus();
  /** How often the user discarded the typed text. Each time, the fields start again. */
  const [discarded, setDiscarded] = useState(0);
  const filters = filtersOf(parameters);
  const typed = useRef<Typed>({ from: filters, draft: filters });
  return (
    <section class="filters card" aria-label="Filters" ref={card} tabIndex={-1}>
      <datalist id="paths">
        {FILTER_FIELDS.map((path) => (
          <option key={path} value={path} />
        ))}
        {properties.map(({ path, types }) => (
          <option key={path} value={path} label={Object.keys(types).join(', ')} />
        ))}
      </datalist>
      <div class="asked">
        <Field label="Event">
          {(ids) => (
            <select {...ids} value={event} onChange={(e) => setQuestion({ event: e.currentTarget.value })}>
              <option value="">all events</option>
              {event !== '' && !names.includes(event) && <option value={event}>{event}</option>}
              {names.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          )}
        </Field>
        {!withoutDates && (
          <>
            <Day name="after" label="From (UTC)" value={parameters.get('after') ?? ''} />
            <Day name="before" label="To (UTC), inclusive" value={parameters.get('before') ?? ''} />
          </>
        )}
      </div>
      {error !== undefined && !isTold && <Notice kind="error">{error}</Notice>}
      <Draft
        key={`${discarded} ${parameters.get('filter') ?? ''}`}
        filters={filters}
        typed={typed}
        seenPaths={seenPaths}
        discard={() => {
          stay();
          typed.current = { from: filters, draft: filters };
          setDiscarded(discarded + 1);
        }}
        stay={stay}
      />
    </section>
  );
}

/** A draft of filters, and the filters from which it was made. */
interface Typed {
  readonly from: readonly FilterEntry[];
  readonly draft: readonly FilterEntry[];
}

/** Carries a draft over to new filters, for instance after a click on a value: its changes are kept. */
function carryOver({ from, draft }: Typed, filters: readonly FilterEntry[]): readonly FilterEntry[] {
  const without = (entries: readonly FilterEntry[], others: readonly FilterEntry[]) => {
    const texts = new Set(others.map((each) => JSON.stringify(each)));
    return entries.filter((each) => !texts.has(JSON.stringify(each)));
  };
  const kept = without(draft, without(from, filters));
  return [...kept, ...without(without(filters, from), kept)];
}

function Day({
  name,
  label,
  value,
}: {
  readonly name: string;
  readonly label: string;
  readonly value: string;
}) {
  const field = useRef<HTMLInputElement>(null);
  /** Whether the user is typing a day: each digit makes another day. One picked in a calendar is complete. */
  const isTyped = useRef(false);
  const apply = () => {
    isTyped.current = false;
    const day = field.current!.value;
    if (day !== value) setQuestion({ [name]: day });
  };
  return (
    <Field label={label}>
      {(ids) => (
        <input
          {...ids}
          ref={field}
          type="date"
          max="9999-12-31"
          value={value}
          onKeyDown={({ key }) => {
            if (key === 'Enter') apply();
            else isTyped.current = true;
          }}
          onChange={() => isTyped.current || apply()}
          onBlur={apply}
        />
      )}
    </Field>
  );
}

/** The editor of a draft of filters. */
function Draft({
  filters,
  typed,
  seenPaths,
  discard,
  stay,
}: {
  readonly filters: readonly FilterEntry[];
  /** Holds the draft between two renders. */
  readonly typed: { current: Typed };
  readonly seenPaths: SeenPaths;
  readonly discard: () => void;
  /** Called before the focused element disappears. */
  readonly stay: () => void;
}) {
  const [draft, setDraft] = useState(() => carryOver(typed.current, filters));
  typed.current = { from: filters, draft };
  const isChanged = JSON.stringify(draft) !== JSON.stringify(filters);
  const apply = (next: readonly FilterEntry[]) => {
    stay();
    setFilters(next);
  };
  const change = (next: readonly FilterEntry[]) => {
    setDraft(next);
    // A removed filter takes effect at once; an added one is still empty.
    if (next.length < draft.length && JSON.stringify(draft) === JSON.stringify(filters)) apply(next);
  };
  return (
    <form
      class="draft"
      onSubmit={(event) => {
        event.preventDefault();
        apply(draft);
      }}
    >
      <Entries entries={draft} seenPaths={seenPaths} onChange={change} />
      {isChanged && (
        <p class="apply">
          <button type="submit" class="primary">
            Apply
          </button>
          <button type="button" onClick={discard}>
            Discard
          </button>
          <span class="hint">
            {draft.includes(NEW_FILTER)
              ? 'Choose a property and a value.'
              : 'Not applied yet. Results, copies and exports do not include it.'}
          </span>
        </p>
      )}
    </form>
  );
}
