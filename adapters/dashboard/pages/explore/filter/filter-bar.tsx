import { useMemo, useRef } from 'preact/hooks';
import { Combobox } from '../../parts/combobox.tsx';
import { Field } from '../../parts/field.tsx';
import { Notice } from '../../parts/text.tsx';
import { place } from '../../address/place.ts';
import { isShared } from '../../server/failures.ts';
import type { SeenPaths } from './seen-paths.ts';
import type { OpenQuestion } from './open-question.ts';
import { AppliedFilters } from './applied-filters.tsx';
import { setQuestion } from '../../address/question.ts';
import { seen } from '../../address/written.ts';

interface FilterBarProps {
  /** The question that the page asks. */
  readonly asked: OpenQuestion;
  readonly seenPaths: SeenPaths;
  /** Whether the page already shows why there is no answer. */
  readonly isTold?: boolean;
}

const ALL_EVENTS = { value: '', text: 'all events' };

/** The question: an event name and filters. */
export function FilterBar({ asked, seenPaths, isTold = false }: FilterBarProps) {
  const { parameters } = place.value;
  const event = parameters.get('event') ?? '';
  const { names, error } = seenPaths;
  const options = useMemo(
    () => [ALL_EVENTS, ...names.map((name) => ({ value: name, text: seen(name) }))],
    [names],
  );
  const card = useRef<HTMLElement>(null);
  return (
    <section class="filters" aria-label="Filters" ref={card} tabIndex={-1}>
      <div class="asked">
        <Field label="Event">
          {(ids) => (
            <Combobox
              {...ids}
              value={event}
              options={options}
              optionWords="event names"
              onCommit={(name) => setQuestion({ event: name })}
            />
          )}
        </Field>
      </div>
      {error !== undefined && !isTold && !isShared(error) && <Notice kind="error">{error}</Notice>}
      <AppliedFilters asked={asked} seenPaths={seenPaths} stay={() => card.current?.focus()} />
    </section>
  );
}
