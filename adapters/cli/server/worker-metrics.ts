import type { Worker } from 'node:cluster';
import {
  AggregatorRegistry,
  type Metric,
  type MetricObjectWithValues,
  type MetricValue,
  type Registry,
} from 'prom-client';
import { nameTenants, type MetricsSource, type NamedTenants } from '../../prometheus/index.ts';

/** What a process has measured, as prom-client passes it between processes. */
type Measured = readonly MetricObjectWithValues<MetricValue<string>>[];

/**
 * A message from a worker: it needs the metrics of all workers, or a label of its own for a tenant, or this
 * is what it has measured itself.
 */
export type MetricsMessage =
  | { readonly wants: number }
  | { readonly tenant: string }
  | {
      readonly measured: Measured;
      /** The round that it answers; absent for what it reports by itself. */
      readonly round?: number;
    };

/**
 * A message to a worker: it has to report, or these are the metrics of all workers, or these are all tenants
 * that have labels of their own since it has asked for one.
 */
export type MetricsOrder =
  | { readonly report: number }
  | { readonly wanted: number; readonly text: string | undefined }
  | { readonly tenant: string; readonly named: readonly string[] };

/** The tenants that have labels of their own, in a worker: the primary process decides for all workers. */
export interface WorkerTenants extends NamedTenants {
  /** Takes a message of the primary process. */
  receive(order: Extract<MetricsOrder, { tenant: string }>): void;
  /** Resolves when no answer is awaited, or after as long as a report may take. */
  settled(): Promise<void>;
}

/** Makes these. `tell` sends a message to the primary process. */
export function createWorkerTenants(tell: (message: MetricsMessage) => void): WorkerTenants {
  const aliases = new Set<string>();
  const waiting = new Map<string, (() => void)[]>();
  const settling: (() => void)[] = [];
  return {
    aliases,
    ask(alias, decided) {
      const others = waiting.get(alias);
      if (others === undefined) {
        waiting.set(alias, [decided]);
        tell({ tenant: alias });
      } else others.push(decided);
    },
    receive({ tenant, named }) {
      for (const alias of named) aliases.add(alias);
      const decided = waiting.get(tenant) ?? [];
      waiting.delete(tenant);
      for (const each of decided) each();
      if (waiting.size === 0) for (const resolve of settling.splice(0)) resolve();
    },
    settled() {
      if (waiting.size === 0) return Promise.resolve();
      return new Promise((resolve) => {
        settling.push(resolve);
        setTimeout(resolve, REPORT_MS);
      });
    },
  };
}

/** The metrics of a worker process, which answers for all workers. */
export interface WorkerMetrics extends MetricsSource {
  /** Takes a message of the primary process. */
  receive(order: Exclude<MetricsOrder, { tenant: string }>): void;
  /** What the worker has counted so far: if it dies, this is not lost. */
  report(): Promise<MetricsMessage>;
}

/** The metrics of all workers, in the primary process. */
export interface MetricsOfAll {
  /** Takes a message of a worker. */
  receive(worker: Worker, message: MetricsMessage): void;
  /** Keeps what a worker has counted, after its last message. */
  leave(worker: Worker): void;
}

/** How long a worker may take to report. Prometheus waits for 10 seconds by default. */
const REPORT_MS = 2_000;

/** Makes the metrics of a worker. `tell` sends a message to the primary process. */
export function createWorkerMetrics(
  registry: Registry,
  tell: (message: MetricsMessage) => void,
): WorkerMetrics {
  const waiting = new Map<number, (text: string | undefined) => void>();
  let last = 0;
  return {
    contentType: registry.contentType,
    async metrics() {
      const wants = ++last;
      const text = await new Promise<string | undefined>((resolve) => {
        waiting.set(wants, resolve);
        tell({ wants });
      });
      if (text === undefined) throw new Error('the primary process could not add up the metrics');
      return text;
    },
    receive(order) {
      if ('report' in order) {
        const answer = (measured: Measured) => tell({ measured, round: order.report });
        // A worker that cannot measure does not answer: the primary process takes its last report.
        registry.getMetricsAsJSON().then(answer, () => undefined);
        return;
      }
      waiting.get(order.wanted)?.(order.text);
      waiting.delete(order.wanted);
    },
    async report() {
      // Gauges are not read: some hold the most since the last reading, and would begin anew.
      const totals = registry.getMetricsAsArray().filter(isTotal) as unknown as Metric[];
      return { measured: await Promise.all(totals.map((each) => each.get())) };
    },
  };
}

/** A question to all workers. */
interface Round {
  /** Who has not answered yet. */
  readonly awaited: Set<Worker>;
  readonly gauges: Measured[];
  readonly end: () => void;
}

/** Which workers are asked, and how long they may take. */
interface MetricsOfAllOptions {
  /** What the primary process itself measures. */
  readonly own: Registry;
  /** The workers that run now. */
  readonly workers: Iterable<Worker>;
  /** Default 2 seconds. */
  readonly reportMs?: number;
}

/**
 * Makes the metrics of all workers. Counters and histograms are added up. What a worker had counted when it
 * last reported is kept after its end, so no sum becomes smaller. Each gauge says in the table of metrics how
 * its values become one.
 */
export function createMetricsOfAll({
  own,
  workers,
  reportMs = REPORT_MS,
}: MetricsOfAllOptions): MetricsOfAll {
  /** The last report of each worker, without gauges. */
  const totals = new Map<Worker, Measured>();
  /** The sum of the workers that have ended. */
  let ended: Measured = [];
  const rounds = new Map<number, Round>();
  const tenants = nameTenants();
  let lastRound = 0;

  /** Asks all workers. One that does not answer in time counts with its last report, and without gauges. */
  async function measure(): Promise<string> {
    const number = ++lastRound;
    const gauges: Measured[] = [];
    const awaited = new Set([...workers].filter((worker) => worker.isConnected()));
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      rounds.set(number, { awaited, gauges, end: resolve });
      timer = setTimeout(resolve, reportMs);
      for (const worker of awaited) send(worker, { report: number });
    });
    clearTimeout(timer);
    rounds.delete(number);
    return add([await own.getMetricsAsJSON(), ended, ...totals.values(), ...gauges]).metrics();
  }

  /** Does not wait for a worker any more. */
  function strike({ awaited, end }: Round, worker: Worker): void {
    awaited.delete(worker);
    if (awaited.size === 0) end();
  }

  return {
    receive(worker, message) {
      if ('wants' in message) {
        const answer = (text: string | undefined) => send(worker, { wanted: message.wants, text });
        measure().then(answer, () => answer(undefined));
        return;
      }
      if ('tenant' in message) {
        const { tenant } = message;
        tenants.ask(tenant, () => send(worker, { tenant, named: [...tenants.aliases] }));
        return;
      }
      const { measured, round } = message;
      totals.set(worker, totalsOf(measured));
      const asked = round === undefined ? undefined : rounds.get(round);
      if (asked === undefined) return;
      asked.gauges.push(measured.filter((metric) => !isTotal(metric)));
      strike(asked, worker);
    },
    leave(worker) {
      const last = totals.get(worker);
      totals.delete(worker);
      if (last !== undefined) ended = add([ended, last]).getMetricsAsArray() as unknown as Measured;
      for (const round of rounds.values()) strike(round, worker);
    },
  };
}

/** Whether a metric only grows, so that its values of several processes are added, also after their end. */
function isTotal({ type }: Pick<Measured[number], 'type'>): boolean {
  return ['counter', 'histogram'].includes(type as unknown as string);
}

const totalsOf = (measured: Measured) => measured.filter(isTotal);

const add = (all: readonly Measured[]) => AggregatorRegistry.aggregate([...all]);

/** Sends a message; a worker that is about to end does not get it. */
function send(worker: Worker, order: MetricsOrder): void {
  if (worker.isConnected()) worker.send(order, () => undefined);
}
