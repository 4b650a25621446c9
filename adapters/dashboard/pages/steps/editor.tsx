import { useRef } from 'preact/hooks';
import { moved, NEW_STEP, STEPS_LEAST, STEPS_MOST, type AskedStep } from '../address/steps.ts';
import type { AskedQuestion } from '../explore/asked-question.ts';
import { AppliedFilters } from '../explore/filter/applied-filters.tsx';
import { EventName } from '../explore/filter/event-field.tsx';
import type { OpenQuestion } from '../explore/filter/open-question.ts';
import type { SeenPaths } from '../explore/filter/seen-paths.ts';
import { Icon, type IconName } from '../parts/icon.tsx';

interface StepsProps {
  readonly steps: readonly AskedStep[];
  readonly onSteps: (steps: readonly AskedStep[]) => void;
  readonly asked: AskedQuestion;
  readonly seenPaths: SeenPaths;
  /** What each step is called; absent where there may be more or fewer, in any order. */
  readonly names?: readonly string[];
}

/** The question for the events of a step, for which the values of its filters are suggested. */
function ofStep({ body, subject, since }: AskedQuestion, { event, filters }: AskedStep): OpenQuestion {
  const filterSet = [...filters, ...(body.filterSet ?? [])];
  const named = event === '' ? body : { ...body, event };
  return {
    body: filterSet.length === 0 ? named : { ...named, filterSet },
    subject: JSON.stringify([subject, event, filters]),
    since,
  };
}

/** The steps of a sequence: each is an event and filters. Buttons or a drag change their order. */
export function StepsEditor({ steps, onSteps, asked, seenPaths, names }: StepsProps) {
  const list = useRef<HTMLOListElement>(null);
  const dragged = useRef<number>(undefined);
  /** Keeps the focus in the list when the focused element goes or moves. */
  const change = (next: readonly AskedStep[], at: number) => {
    onSteps(next);
    requestAnimationFrame(() => list.current?.children[at]?.querySelector('input')?.focus());
  };
  const isFree = names === undefined;
  return (
    <ol class="steps" ref={list} aria-label="Steps">
      {steps.map((step, i) => (
        <li
          key={i}
          class="step"
          tabIndex={-1}
          onDragOver={(event) => {
            if (dragged.current !== undefined) event.preventDefault();
          }}
          onDrop={(event) => {
            event.preventDefault();
            const from = dragged.current;
            if (from !== undefined && from !== i) change(moved(steps, from, i), i);
          }}
        >
          <div class="step-line">
            <span
              class="step-number"
              draggable={isFree}
              title={isFree ? 'Drag to another place' : undefined}
              onDragStart={(event) => {
                dragged.current = i;
                event.dataTransfer?.setData('text/plain', String(i + 1));
              }}
              onDragEnd={() => (dragged.current = undefined)}
            >
              {names?.[i] ?? i + 1}
            </span>
            <EventName
              aria-label={`Event of ${nameOf(names, i)}`}
              value={step.event}
              names={seenPaths.names}
              all="any event"
              onCommit={(event) => onSteps(steps.with(i, { ...step, event }))}
            />
            {isFree && (
              <span class="step-acts">
                <StepButton
                  icon="up"
                  label={`Move up step ${i + 1}`}
                  isOff={i === 0}
                  act={() => change(moved(steps, i, i - 1), i - 1)}
                />
                <StepButton
                  icon="down"
                  label={`Move down step ${i + 1}`}
                  isOff={i === steps.length - 1}
                  act={() => change(moved(steps, i, i + 1), i + 1)}
                />
                <StepButton
                  icon="close"
                  label={`Remove step ${i + 1}`}
                  isOff={steps.length <= STEPS_LEAST}
                  act={() => change(steps.toSpliced(i, 1), Math.min(i, steps.length - 2))}
                />
              </span>
            )}
          </div>
          <AppliedFilters
            asked={ofStep(asked, step)}
            seenPaths={seenPaths}
            stay={() => (list.current?.children[i] as HTMLElement | undefined)?.focus()}
            own={{
              ...{ label: `Filters of ${nameOf(names, i)}`, filters: step.filters },
              onFilters: (filters) => onSteps(steps.with(i, { ...step, filters })),
            }}
          />
        </li>
      ))}
      {isFree && steps.length < STEPS_MOST && (
        <li class="adding">
          <button type="button" class="small" onClick={() => change([...steps, NEW_STEP], steps.length)}>
            <Icon name="plus" /> Step
          </button>
        </li>
      )}
    </ol>
  );
}

const nameOf = (names: readonly string[] | undefined, i: number) =>
  names === undefined ? `step ${i + 1}` : names[i]!.toLowerCase();

interface StepButtonProps {
  readonly icon: IconName;
  readonly label: string;
  readonly isOff: boolean;
  readonly act: () => void;
}

function StepButton({ icon, label, isOff, act }: StepButtonProps) {
  return (
    <button type="button" class="ghost tiny" aria-label={label} disabled={isOff} onClick={act}>
      <Icon name={icon} />
    </button>
  );
}
