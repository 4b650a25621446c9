import { useRef, useState } from 'preact/hooks';
import type { FilterEntry } from '../../../../../src/index.ts';
import type { Property } from '../../server/answers.ts';
import { Field } from '../../parts/field.tsx';
import { Notice } from '../../parts/text.tsx';
import { place } from '../../place.ts';
import type { SeenPaths } from '../seen-paths.ts';
import { Entries, NEW_FILTER } from './filter-editor.tsx';
import { FIELDS, filtersOf, setFilters, setQuestion } from '../state.ts';

interface FilterBarProps {
  readonly seenPaths: SeenPaths;
  readonly withoutDates?: boolean;
}

/** What is asked for: an event, days, filters. What is typed is asked for when it is applied. */
export function FilterBar({ seenPaths, withoutDates = false }: FilterBarProps) {
  const { parameters } = place.value;
  const event = parameters.get('event') ?? '';
  const { names, properties, error } = seenPaths;
  const card = useRef<HTMLElement>(null);
  const stay = () => card.current?.focus();
  /** How often what was typed was discarded: the fields begin anew. */
  const [discarded, setDiscarded] = useState(0);
  return (
    <section class="filters card" aria-label="Filters" ref={card} tabIndex={-1}>
      <datalist id="paths">
        {FIELDS.map((path) => (
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
      {error !== undefined && <Notice kind="error">{error}</Notice>}
      <Draft
        key={`${discarded} ${parameters.get('filter') ?? ''}`}
        filters={filtersOf(parameters)}
        properties={properties}
        discard={() => {
          stay();
          setDiscarded(discarded + 1);
        }}
        stay={stay}
      />
    </section>
  );
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
  return (
    <Field label={label}>
      {(ids) => (
        <input
          {...ids}
          type="date"
          value={value}
          onChange={(e) => setQuestion({ [name]: e.currentTarget.value })}
        />
      )}
    </Field>
  );
}

/** Filters as they are typed. */
function Draft({
  filters,
  properties,
  discard,
  stay,
}: {
  readonly filters: readonly FilterEntry[];
  readonly properties: readonly Property[];
  readonly discard: () => void;
  /** Called before what has the focus goes. */
  readonly stay: () => void;
}) {
  const [draft, setDraft] = useState<readonly FilterEntry[]>(filters);
  const isChanged = JSON.stringify(draft) !== JSON.stringify(filters);
  const apply = (next: readonly FilterEntry[]) => {
    stay();
    setFilters(next);
  };
  const change = (next: readonly FilterEntry[]) => {
    setDraft(next);
    // To take one away is meant at once; what is added says nothing yet.
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
      <Entries entries={draft} properties={properties} onChange={change} />
      {isChanged && (
        <p class="apply">
          <button type="submit" class="primary">
            Apply
          </button>
          <button type="button" onClick={discard}>
            Discard
          </button>
          {draft.includes(NEW_FILTER) && <span class="hint">Choose a property and a value.</span>}
        </p>
      )}
    </form>
  );
}
