import { percentile, round, toTable } from './figures.ts';
import type { Sample } from './protocol.ts';

/** What a run has measured. */
export interface SoakFigures {
  readonly seconds: number;
  readonly overloadSeconds: number;
  readonly idle: readonly Sample[];
  readonly soak: readonly Sample[];
  /** The answers of the overload that were no 503. */
  readonly served: readonly Sample[];
  readonly shed: number;
  readonly unsent: number;
  /** The overload as a multiple of the capacity. */
  readonly loadOfCapacity: number;
  readonly statuses: ReadonlyMap<number, number>;
  readonly events: { readonly acknowledged: number; readonly stored: number };
  readonly memoryMiB: {
    readonly idle: number;
    readonly firstHalf: number;
    readonly secondHalf: number;
    readonly overload: number;
  };
  /** The latency of what was served (p99) to the wait in a queue without end. */
  readonly servedOfUnbounded: number;
  /** The median latency after the overload to the one before it, both under the same kind of load. */
  readonly afterRatio: number;
}

/** The page that `--write` keeps: figures as ratios, since machines differ. */
export function toReadme(figures: SoakFigures): string {
  const { seconds, overloadSeconds, loadOfCapacity, shed, served, unsent, events, memoryMiB } = figures;
  const answers = shed + served.length;
  const servedPercent = round((100 * served.length) / answers);
  return `# Soak and load

For operators who want to know how the server behaves under load, and for contributors.

\`npm run soak\` starts the built server and loads it from separate processes.
\`npm run soak -- --write\` writes this page. Latencies are ratios to the same request on the idle server,
one at a time. They show what the load costs, independent of the machine.

## Mixed traffic, ${seconds} s

The traffic is queries, counts, names, events and 21 kinds of bad requests. It comes at a fixed rate
of about a third of the capacity, and on two more connections without pause. Every answer is
checked: its status, its form, and its content against what was acknowledged before the request.

${toTable(['request', 'answers', 'p50 to idle', 'p99 to idle'], latencyRows(figures.soak, figures.idle))}

Answers by status, all parts together:

${toTable(
  ['status', 'answers'],
  [...figures.statuses].sort(([a], [b]) => a - b),
)}

${toTable(
  ['resident memory', 'MiB'],
  [
    ['at the start', memoryMiB.idle],
    ['first half of the soak, median', memoryMiB.firstHalf],
    ['second half, median', memoryMiB.secondHalf],
    ['overload, at most', memoryMiB.overload],
  ],
)}

## Overload, ${overloadSeconds} s at ${loadOfCapacity} times the capacity

${toTable(
  ['what', 'figure'],
  [
    ['answers', answers],
    ['served', `${servedPercent} %`],
    ['refused at once with 503 and `Retry-After`', `${round(100 - servedPercent)} %`],
    ['due and not sent, because the client holds at most 3,000 open', unsent],
    ['p99 of what was served / wait in a queue without limit', round(figures.servedOfUnbounded)],
    ['median latency afterwards / at full load before', round(figures.afterRatio)],
  ],
)}

${toTable(['request', 'answers', 'p50 to idle', 'p99 to idle'], latencyRows(served, figures.idle))}

Events: ${events.acknowledged} acknowledged, ${events.stored} stored, each once. If an answer is lost, its
batch may be stored without being acknowledged. Such a batch is stored whole or not at all.
`;
}

function latencyRows(samples: readonly Sample[], idle: readonly Sample[]): (string | number)[][] {
  const kinds = [...new Set(samples.map(({ kind }) => kind))].sort();
  return kinds.map((kind) => {
    const ms = msOf(samples, kind);
    const base = percentile(msOf(idle, kind), 0.5);
    const ratio = (share: number) => round(percentile(ms, share) / base);
    return [kind, ms.length, ratio(0.5), ratio(0.99)];
  });
}

function msOf(samples: readonly Sample[], wanted: string): number[] {
  return samples.filter(({ kind }) => kind === wanted).map(({ ms }) => ms);
}
