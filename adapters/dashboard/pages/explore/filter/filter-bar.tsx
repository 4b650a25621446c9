import { useRef } from 'preact/hooks';
import { Notice } from '../../parts/text.tsx';
import { isShared } from '../../server/failures.ts';
import type { SeenPaths } from './seen-paths.ts';
import type { OpenQuestion } from './open-question.ts';
import { EventField } from './event-field.tsx';
import { AppliedFilters } from './applied-filters.tsx';
import { setQuestion } from '../../address/question.ts';

interface FilterBarProps {
  /** The question that the page asks. */
  readonly asked: OpenQuestion;
  readonly seenPaths: SeenPaths;
  /** Whether the page already shows why there is no answer. */
  readonly isTold?: boolean;
}

/** The question: an event name and filters. */
export function FilterBar({ asked, seenPaths, isTold = false }: FilterBarProps) {
  const { names, error } = seenPaths;
  const card = useRef<HTMLElement>(null);
  return (
    <section class="filters" aria-label="Filters" ref={card} tabIndex={-1}>
      <div class="asked">
        <EventField names={names} onName={(name) => setQuestion({ event: name })} />
      </div>
      {error !== undefined && !isTold && !isShared(error) && <Notice kind="error">{error}</Notice>}
      <AppliedFilters asked={asked} seenPaths={seenPaths} stay={() => card.current?.focus()} />
    </section>
  );
}
