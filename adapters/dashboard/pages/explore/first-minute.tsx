import { useState } from 'preact/hooks';
import type { FilterEntry } from '../../../../src/index.ts';
import { Icon } from '../parts/icon.tsx';
import { linkTo } from '../place.ts';

const KEY = 'event-query-first-minute';
const ABOVE_50: readonly FilterEntry[] = [
  { property: 'properties.order.total', comparison: 'GREATER_THAN', value: 50 },
];

const STEPS: readonly { readonly text: string; readonly to: Readonly<Record<string, string>> }[] = [
  { text: 'See the orders above 50', to: { event: 'order_placed', filter: JSON.stringify(ABOVE_50) } },
  {
    text: 'Break visits down by where they came from',
    to: { event: 'visit_started', by: 'properties.referrer.source' },
  },
  {
    text: 'Put the plan of who looks beside each page view',
    to: { event: 'page_viewed', columns: 'properties.page,properties.plan,properties.loadMs' },
  },
];

function wasSeen(): boolean {
  try {
    return localStorage.getItem(KEY) === 'seen';
  } catch {
    return false;
  }
}

/** The demo's first minute: a few questions that are one click away. */
export function FirstMinute() {
  const [seen, setSeen] = useState(wasSeen());
  if (seen) return null;
  const close = () => {
    setSeen(true);
    try {
      localStorage.setItem(KEY, 'seen');
    } catch {
      // It comes again with the next visit.
    }
  };
  return (
    <aside class="first card" aria-label="The first minute">
      <div>
        <strong>A month of a small shop.</strong> Three questions to begin with:
        <ol>
          {STEPS.map(({ text, to }) => (
            <li key={text}>
              <a href={linkTo('explore', 'demo', to)}>{text}</a>
            </li>
          ))}
        </ol>
        <p class="hint">
          Then open a row, and click “not this” on a value. Drag over the bars to narrow the time.
        </p>
      </div>
      <button type="button" class="ghost" aria-label="Close the first minute" onClick={close}>
        <Icon name="close" />
      </button>
    </aside>
  );
}
