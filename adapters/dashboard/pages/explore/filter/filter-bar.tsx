import { useRef } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import { Notice } from '../../parts/text.tsx';
import { place } from '../../address/place.ts';
import type { SeenPaths } from './seen-paths.ts';
import { AppliedFilters } from './applied-filters.tsx';
import { FILTER_FIELDS, setQuestion } from '../../address/question.ts';

interface FilterBarProps {
  readonly seenPaths: SeenPaths;
  readonly withoutDates?: boolean;
  /** Whether the page already shows why there is no answer. */
  readonly isTold?: boolean;
}

/**
 * The question: an event name, days, filters.
 */
export function FilterBar({ seenPaths, withoutDates = false, isTold = false }: FilterBarProps) {
  const { parameters } = place.value;
  const event = parameters.get('event') ?? '';
  const { names, properties, error } = seenPaths;
  const card = useRef<HTMLElement>(null);
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
      <AppliedFilters seenPaths={seenPaths} stay={() => card.current?.focus()} />
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
