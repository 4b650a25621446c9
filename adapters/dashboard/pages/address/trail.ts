/** What a step of the browser's history had when it was left. */
interface Step {
  /** How far the window was scrolled, in pixels. */
  readonly y: number;
  /** The opened rows. */
  readonly open: ReadonlySet<string>;
}

/** What `history.state` holds of a step. */
interface StepState {
  /** Whether these pages navigated to it, so that the way back leads to one of them. */
  readonly isStep?: boolean;
  readonly step?: number;
}

const NEW: Step = { y: 0, open: new Set() };
const steps = new Map<number, Step>();
const stateNow = () => history.state as StepState | null;
let last = 0;
let now = 0;

// The browser would scroll before the rows are there.
history.scrollRestoration = 'manual';
arrive();

/** The rows that were open when this page of the history was left. */
export const openRows = (): ReadonlySet<string> => steps.get(now)?.open ?? NEW.open;

/** Notes the opened rows of the present step. */
export function keepOpenRows(open: ReadonlySet<string>): void {
  steps.set(now, { y: scrollY, open });
}

/** Whether the browser's back button leads to a place from which these pages navigated. */
export const canGoBack = (): boolean => stateNow()?.isStep === true;

/** Adds a step to the history, or changes the present one. The page and its opened rows stay. */
export function pushStep(address: string, isQuiet: boolean): void {
  if (isQuiet) return history.replaceState(history.state, '', address);
  const open = openRows();
  keepOpenRows(open);
  now = last += 1;
  steps.set(now, { y: scrollY, open });
  history.pushState({ isStep: true, step: now } satisfies StepState, '', address);
}

/** Notes where the step is that is left. Call it when the address has changed, before the page is drawn. */
export function leaveStep(): void {
  keepOpenRows(openRows());
}

/**
 * Notes the step that the history is at. One that is new begins at the top, if it is of another page; one
 * from before is scrolled to where it was, once it is that long again.
 */
export function arrive(isOtherPage = false): void {
  const known = stateNow()?.step;
  if (known === undefined) {
    now = last += 1;
    history.replaceState({ ...stateNow(), step: now } satisfies StepState, '');
    if (isOtherPage) scrollWhenTall(0);
    return;
  }
  now = known;
  last = Math.max(last, known);
  const step = steps.get(known);
  if (step !== undefined) scrollWhenTall(step.y);
}

/** How long a page may take to be as long as it was, in milliseconds. */
const TALL_MS_MAX = 5_000;
let scrolling = new AbortController();

/** Scrolls to a place as soon as the page has its answers, unless the user scrolls meanwhile. */
function scrollWhenTall(y: number): void {
  scrolling.abort();
  const own = (scrolling = new AbortController());
  const { signal } = own;
  for (const type of ['wheel', 'touchmove', 'keydown', 'pointerdown'])
    addEventListener(type, () => own.abort(), { signal, passive: true });
  const until = performance.now() + TALL_MS_MAX;
  const look = () => {
    if (signal.aborted) return;
    scrollTo(0, y);
    const isDone = Math.abs(scrollY - y) <= 1 && document.querySelector('main [aria-busy=true]') === null;
    if (isDone || performance.now() > until) own.abort();
    else requestAnimationFrame(look);
  };
  // The page is drawn first.
  requestAnimationFrame(() => requestAnimationFrame(look));
}
