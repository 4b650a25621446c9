import { useRef } from 'preact/hooks';
import { place } from '../address/place.ts';
import { setQuestion } from '../address/question.ts';
import { cut } from '../address/written.ts';
import type { AskedQuestion } from '../explore/asked-question.ts';
import { AppliedFilters } from '../explore/filter/applied-filters.tsx';
import type { SeenPaths } from '../explore/filter/seen-paths.ts';
import { TimeControl } from '../explore/time-control.tsx';
import { Icon } from '../parts/icon.tsx';

const NAME_LENGTH = 60;

/** What is asked of the events of all steps: filters, a range of time, and an event that an address names. */
export function QuestionBar({
  asked,
  seenPaths,
}: {
  readonly asked: AskedQuestion;
  readonly seenPaths: SeenPaths;
}) {
  const filters = useRef<HTMLElement>(null);
  const stay = () => filters.current?.focus();
  const event = place.value.parameters.get('event') ?? '';
  return (
    <div class="explore-bar">
      <section class="filters of-steps" aria-label="Filters of all steps" ref={filters} tabIndex={-1}>
        <p class="asked">
          {event === '' ? (
            <span class="muted">All steps</span>
          ) : (
            <span class="filter-chip">
              <bdi class="chip">Event: {cut(event, NAME_LENGTH)}</bdi>
              <button
                type="button"
                class="small ghost"
                aria-label="Remove the event"
                onClick={() => {
                  stay();
                  setQuestion({ event: '' });
                }}
              >
                <Icon name="close" />
              </button>
            </span>
          )}
        </p>
        <AppliedFilters asked={asked} seenPaths={seenPaths} stay={stay} />
      </section>
      <div class="bar-side">
        <TimeControl asked={asked} />
      </div>
    </div>
  );
}
