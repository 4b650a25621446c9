import { useEffect, useState } from 'preact/hooks';
import type { Event } from '../../../../src/index.ts';
import { ask, countOf } from '../server/api.ts';

/** What has arrived of a tenant's events. */
export interface FirstArrivals {
  readonly count: number;
  /** The latest few. */
  readonly latest: readonly Event[];
  /** Whether there was none at first. */
  readonly wasEmpty: boolean;
}

const LOOK_MS = 2000;
/** How many of the latest events are loaded. */
const LATEST_SIZE = 3;

/**
 * Watches an empty tenant for its events while the page is visible. A tenant with events needs no watch.
 * Without `isEmpty`, the first request that succeeds decides whether the tenant was empty.
 */
export function useArrivals(alias: string, isEmpty?: true): FirstArrivals | undefined {
  const [arrivals, setArrivals] = useState<FirstArrivals>();
  useEffect(() => {
    const { signal, abort } = withAbort();
    let known: FirstArrivals | undefined;
    const look = async () => {
      if (document.hidden) return;
      const count = await countOf(alias, {}, signal);
      if (count === known?.count) return;
      const pagination = { size: LATEST_SIZE };
      const latest = count === 0 ? [] : await ask<Event[]>(`query/${alias}`, { pagination }, { signal });
      known = { count, latest, wasEmpty: known?.wasEmpty ?? isEmpty ?? count === 0 };
      setArrivals(known);
    };
    let timer: ReturnType<typeof setTimeout> | undefined;
    const watch = () =>
      // A look that fails is made up for by the next one.
      look()
        .catch(() => undefined)
        .then(() => {
          if (!signal.aborted && known?.wasEmpty !== false) timer = setTimeout(watch, LOOK_MS);
        });
    void watch();
    return () => {
      abort();
      clearTimeout(timer);
    };
  }, [alias]);
  return arrivals;
}

function withAbort() {
  const controller = new AbortController();
  return { signal: controller.signal, abort: () => controller.abort() };
}
