import type { CountBody, Event } from '../../../../src/index.ts';
import { setParameters } from '../address/place.ts';
import { canGoBack } from '../address/trail.ts';
import { PAGE_SIZE, rowsOf } from '../address/question.ts';
import { figure } from '../parts/figure.ts';
import { send } from '../server/api.ts';
import { moves } from '../time/asked.ts';
import type { AskedQuestion } from './asked-question.ts';

/** A page of events, and the cursor of the next one; undefined on the last page. */
export interface LoadedPage {
  readonly events: readonly Event[];
  readonly next: string | undefined;
}

/** Loads the rows of matching events that an address names. */
export async function loadPage(
  alias: string,
  body: CountBody,
  parameters: URLSearchParams,
  signal: AbortSignal,
): Promise<LoadedPage> {
  const answer = await send(...rowsOf(alias, body, parameters), { signal });
  return {
    events: (await answer.json()) as Event[],
    next: answer.headers.get('X-Next-Cursor') ?? undefined,
  };
}

/** Keeps in the address the instant of a range that moves: all its pages are those of one instant. */
export function keepInstant({ preset, since }: AskedQuestion): void {
  if (moves(preset)) {
    setParameters({ range: preset, at: String(since) }, true);
  }
}

/** Goes to another page of events by parameters of the address, and scrolls to its beginning. */
export function turnTo(parameters: Readonly<Record<string, string>>): void {
  const head = document.getElementById('rows');
  setParameters(parameters);
  head?.focus();
  head?.scrollIntoView();
}

interface TurningProps {
  /** How many events the page shows. */
  readonly shown: number;
  /** How many there are; undefined if that is not known or not said. */
  readonly total?: number | undefined;
  /** Goes to the first page; undefined on the first page. */
  readonly first: (() => void) | undefined;
  /** Goes to the next page; undefined on the last page. */
  readonly next: (() => void) | undefined;
  /** How many a page has. */
  readonly size?: number;
  /** What the pages are of. */
  readonly what?: string;
}

/** The buttons that lead to other pages of events, or of users. */
export function Turning({ shown, total, first, next, size = PAGE_SIZE, what = 'events' }: TurningProps) {
  // An empty table says so itself.
  if (shown === 0 && first === undefined) return null;
  return (
    <nav class="pages" aria-label={`Pages of ${what}`}>
      {first !== undefined && (
        <button type="button" onClick={first}>
          First page
        </button>
      )}
      {first !== undefined && canGoBack() && (
        <button type="button" onClick={() => history.back()}>
          Back
        </button>
      )}
      {next !== undefined && (
        <button type="button" onClick={next}>
          Next {size}
        </button>
      )}
      <span class="muted">
        {figure(shown)} shown{total === undefined ? '' : ` of ${figure(total)}`}
        {next === undefined && shown > 0 ? ', the last page' : ''}
      </span>
    </nav>
  );
}
