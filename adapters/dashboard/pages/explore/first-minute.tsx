import { useEffect, useState } from 'preact/hooks';
import type { FilterEntry } from '../../../../src/index.ts';
import { Icon } from '../parts/icon.tsx';
import { linkTo, type PageLocation } from '../address/address.ts';
import { place } from '../address/place.ts';

const KEY = 'event-query-first-minute';
const ABOVE_50: readonly FilterEntry[] = [
  { property: 'properties.order.total', comparison: 'GREATER_THAN', value: 50 },
];

interface DemoStep {
  readonly text: string;
  /** What the user sees there. */
  readonly shows: string;
  readonly to: Readonly<Record<string, string>>;
}

const STEPS: readonly DemoStep[] = [
  {
    text: 'See the orders above 50',
    shows: 'A filter on a number. Open a row, and click “not this” on a value to exclude it.',
    to: { range: 'all', event: 'order_placed', filter: JSON.stringify(ABOVE_50) },
  },
  {
    text: 'Break down visits by referrer',
    shows: 'Exact counts of events and users. Click “only” next to a value to filter by it.',
    to: { range: 'all', event: 'visit_started', by: 'properties.referrer.source' },
  },
  {
    text: 'Show the plan next to each page view',
    shows: 'Any path can be a column. Drag across the chart to narrow the time range.',
    to: { range: 'all', event: 'page_viewed', columns: 'properties.page,properties.plan,properties.loadMs' },
  },
];

/** The index of the step whose question is in the address; -1 if none. */
function stepNow({ parameters }: PageLocation): number {
  return STEPS.findIndex(({ to }) =>
    Object.entries(to).every(([name, value]) => parameters.get(name) === value),
  );
}

function wasSeen(): boolean {
  try {
    return localStorage.getItem(KEY) === 'seen';
  } catch {
    return false;
  }
}

/** The demo's first minute: a few questions in order, and what each of them shows. */
export function FirstMinute() {
  const [seen, setSeen] = useState(wasSeen());
  const [done, setDone] = useState<ReadonlySet<number>>(new Set());
  const at = stepNow(place.value);
  useEffect(() => setDone(new Set([...done, at])), [at]);
  if (seen) return null;
  const close = () => {
    setSeen(true);
    try {
      localStorage.setItem(KEY, 'seen');
    } catch {
      // Without storage, the tour appears again at the next visit.
    }
  };
  return (
    <aside class="first card" aria-label="Getting started">
      <header>
        <p>
          <strong>A month of a small shop.</strong> Three queries to start with:
        </p>
        <button type="button" class="ghost" aria-label="Close getting started" onClick={close}>
          <Icon name="close" />
        </button>
      </header>
      <ol>
        {STEPS.map(({ text, shows, to }, i) => (
          <li key={text} class={i === at ? 'at' : ''}>
            <span class="number-of" aria-hidden="true">
              {i !== at && done.has(i) ? '✓' : i + 1}
            </span>
            <div>
              <a href={linkTo('explore', 'demo', to)} aria-current={i === at ? 'step' : undefined}>
                {text}
              </a>
              <p class="hint">{shows}</p>
            </div>
          </li>
        ))}
      </ol>
      <p class="hint">
        Then <a href={linkTo('authentication', 'demo')}>send your own event</a> and watch it{' '}
        <a href={linkTo('live', 'demo')}>arrive</a>.
      </p>
    </aside>
  );
}
