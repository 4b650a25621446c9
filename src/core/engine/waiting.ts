import { aborted } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Signal } from '../base/signal.ts';
import type { ArrivalPosition, Arrivals } from '../query/arrivals.ts';

/** How long to wait for events. */
export interface WaitOptions {
  /** Aborted when the result is no longer wanted. */
  readonly signal?: Signal | undefined;
  /** The longest wait in milliseconds. Default: 25 seconds, which is also the most. */
  readonly waitMs?: number | undefined;
  /** Whether the wait shall end now. */
  readonly isOver?: (() => boolean) | undefined;
}

/** The milliseconds between two looks, and the longest wait. */
const LOOK_MS = 250;
const WAIT_MS_MAX = 25_000;

/**
 * Whether there is nothing to answer yet. A look that stopped early (`more`) has a new position to answer.
 */
export const hasNothing = ({ events, more }: Arrivals) => events.length === 0 && more !== true;

/** Looks for events that arrived after a position until there are some, or the wait is over. */
export async function awaitArrivals(
  look: (position: ArrivalPosition | undefined) => Promise<Arrivals>,
  position: ArrivalPosition | undefined,
  {
    runtime,
    signal,
    waitMs = WAIT_MS_MAX,
    isOver,
  }: WaitOptions & { readonly runtime: Pick<Runtime, 'sleep'> },
): Promise<Arrivals> {
  const most = Math.min(waitMs, WAIT_MS_MAX) / LOOK_MS;
  let found = await look(position);
  for (let looks = 0; hasNothing(found) && looks < most && isOver?.() !== true; looks++) {
    await runtime.sleep(LOOK_MS);
    // A store may ignore the signal, so it is checked here.
    if (signal?.aborted === true) throw aborted();
    found = await look(found.position);
  }
  return found;
}
