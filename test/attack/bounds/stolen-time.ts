import { readFileSync } from 'node:fs';

/** How often it is looked at, and from which share of all processors on it counts. */
const EVERY_MS = 1000;
const SHARE_MIN = 0.05;

/** When the host of a virtual machine gave its processors to others. */
export interface StolenTime {
  /** Whether it did between two instants of `performance.now()`, the later of which has passed. */
  between(from: number, to: number): boolean;
  stop(): void;
}

/** Watches it from now on; where the system does not tell, nothing was ever taken. */
export function watchStolenTime(): StolenTime {
  const stolen: { readonly from: number; readonly to: number }[] = [];
  let [before, from] = [readTicks(), performance.now()];
  const look = () => {
    const [ticks, to] = [readTicks(), performance.now()];
    if (ticks.stolen - before.stolen > SHARE_MIN * (ticks.all - before.all)) stolen.push({ from, to });
    [before, from] = [ticks, to];
  };
  const timer = setInterval(look, EVERY_MS);
  return {
    between: (began, ended) => stolen.some((each) => each.from < ended && began < each.to),
    stop: () => {
      clearInterval(timer);
      look();
    },
  };
}

/** The ticks of all processors since the system began. */
function readTicks(): { readonly stolen: number; readonly all: number } {
  if (process.platform !== 'linux') return { stolen: 0, all: 0 };
  const [, ...ticks] = readFileSync('/proc/stat', 'utf8').split('\n', 1)[0]!.trim().split(/ +/).map(Number);
  return { stolen: ticks[7]!, all: ticks.slice(0, 8).reduce((sum, each) => sum + each, 0) };
}
