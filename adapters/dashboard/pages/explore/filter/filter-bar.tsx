import { useRef } from 'preact/hooks';
import { Field } from '../../parts/field.tsx';
import { Notice } from '../../parts/text.tsx';
import { place } from '../../address/place.ts';
import type { SeenPaths } from './seen-paths.ts';
import { AppliedFilters } from './applied-filters.tsx';
import { FILTER_FIELDS, setQuestion } from '../../address/question.ts';

interface FilterBarProps {
  readonly seenPaths: SeenPaths;
  /** Whether the page already shows why there is no answer. */
  readonly isTold?: boolean;
}

/** The question: an event name and filters. */
export function FilterBar({ seenPaths, isTold = false }: FilterBarProps) {
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
      </div>
      {error !== undefined && !isTold && <Notice kind="error">{error}</Notice>}
      <AppliedFilters seenPaths={seenPaths} stay={() => card.current?.focus()} />
    </section>
  );
}
