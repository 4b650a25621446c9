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

\`npm run soak\` starts the built server and loads it from processes of their own; this page is written by
\`npm run soak -- --write\`. Latencies are ratios to the same request on the idle server, one at a time: they
say how much the load costs, on whatever machine.

## Mixed traffic, ${seconds} s

Queries, counts, names, events and 21 kinds of bad requests: at about a third of the capacity at a fixed rate,
and on two more connections without pause. Every answer is judged: its status, its form, and what it says, by
what was acknowledged before it was asked.

${toTable(['request', 'answers', 'p50 to idle', 'p99 to idle'], latencyRows(figures.soak, figures.idle))}

Answers by status, all parts together: ${[...figures.statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status}: ${count}`)
    .join(', ')}.

Resident memory: ${memoryMiB.idle} MiB at the start, ${memoryMiB.firstHalf} MiB in the first half of the soak,
${memoryMiB.secondHalf} MiB in the second (medians).

## Overload, ${overloadSeconds} s at ${loadOfCapacity} times the capacity

${answers} answers: ${servedPercent} % served, the others refused at once with 503 and \`Retry-After\`;
${unsent} more requests were due and not sent, since the client holds 3,000 open at most.
The p99 of what was served is ${round(figures.servedOfUnbounded)} of the wait that the last request would
have if all were taken on in their order.

${toTable(['request', 'answers', 'p50 to idle', 'p99 to idle'], latencyRows(served, figures.idle))}

Resident memory: ${memoryMiB.overload} MiB at most. Afterwards the median latency was
${round(figures.afterRatio)} of the one at full load before.

Events: ${events.acknowledged} acknowledged, ${events.stored} stored, each once. More may be stored than
acknowledged, where an answer was lost; such a batch is there whole or not at all.
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
