import { useMemo, useState } from 'preact/hooks';
import type { Event } from '../../../../src/index.ts';
import { seen, written } from '../address/question.ts';
import { figure } from '../parts/figure.ts';
import { Time } from '../parts/text.tsx';
import { historyOf, type PropertyHistory } from './changes.ts';

const PATHS_MAX = 12;
const VALUES_MAX = 4;
const TEXT_LENGTH = 120;

/** How the properties of a user changed within the events that the page shows. */
export function History({ events }: { /** Oldest first. */ readonly events: readonly Event[] }) {
  const [isWhole, setWhole] = useState(false);
  const history = useMemo(() => historyOf(events), [events]);
  const shown = isWhole ? history : history.slice(0, PATHS_MAX);
  return (
    <section class="card history" aria-labelledby="history">
      <header>
        <h2 id="history">Properties</h2>
        <span class="hint">
          {events.length === 1 ? 'in the event shown' : `in the ${figure(events.length)} events shown`}
        </span>
      </header>
      <ul>
        {shown.map((each) => (
          <li key={JSON.stringify(each.keys)}>
            <bdi class="muted">{seen(each.keys.join('.'))}</bdi>
            <Values of={each} />
          </li>
        ))}
      </ul>
      {shown.length < history.length && (
        <button type="button" class="small" onClick={() => setWhole(true)}>
          Show all {figure(history.length)} properties
        </button>
      )}
    </section>
  );
}

/** The values of a property, the latest first. One that never changed has no time. */
function Values({ of: { values } }: { readonly of: PropertyHistory }) {
  const shown = values.slice(-VALUES_MAX).toReversed();
  return (
    <ol>
      {shown.map(({ value, since }, i) => (
        <li key={values.length - i}>
          <bdi>{cut(value === '' ? '(empty text)' : written(value))}</bdi>
          {values.length > 1 && (
            <>
              {' '}
              <span class="muted">since</span> <Time ms={since} />
            </>
          )}
        </li>
      ))}
      {values.length > shown.length && (
        <li class="muted">
          {figure(values.length - shown.length)} earlier{' '}
          {values.length - shown.length === 1 ? 'change' : 'changes'}
        </li>
      )}
    </ol>
  );
}

function cut(text: string): string {
  return text.length > TEXT_LENGTH ? `${seen(text.slice(0, TEXT_LENGTH))}…` : text;
}
