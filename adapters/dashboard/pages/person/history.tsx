import { useMemo } from 'preact/hooks';
import type { Event } from '../../../../src/index.ts';
import { cut, written } from '../address/written.ts';
import { figure } from '../parts/figure.ts';
import { useFirst } from '../parts/first.tsx';
import { Time } from '../parts/text.tsx';
import { historyOf, PATHS_MAX, type PropertyHistory } from './changes.ts';

const PATHS_FIRST = 12;
const VALUES_MAX = 4;
const TEXT_LENGTH = 120;

/** How the properties of a user changed within the events that the page shows. */
export function History({ events }: { /** Oldest first. */ readonly events: readonly Event[] }) {
  const history = useMemo(() => historyOf(events), [events]);
  const { shown, more } = useFirst(history, 'properties', PATHS_FIRST);
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
            <bdi class="muted">{cut(each.keys.join('.'), TEXT_LENGTH)}</bdi>
            <Values of={each} />
          </li>
        ))}
      </ul>
      {more}
      {history.length === PATHS_MAX && (
        <p class="hint">Of each event, the first {figure(PATHS_MAX)} properties were looked at.</p>
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
          <bdi>{value === '' ? '(empty text)' : cut(written(value), TEXT_LENGTH)}</bdi>
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
