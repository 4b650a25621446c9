import { collectDefaultMetrics, Gauge, Registry, type Metric } from 'prom-client';
import { METRICS, type Meter, type MetricRow } from '../../src/transport-kit.ts';
import { createSeries, type Labels, type Series } from './series.ts';
import { createTenantLabels, nameTenants, type NamedTenants, type TenantLabels } from './tenants.ts';

/** The options of `prometheusMeter`. */
export interface PrometheusMeterOptions {
  /** Where the metrics are registered. Default: a registry of their own. */
  readonly registry?: Registry;
  /** Whether Node's own metrics, such as the heap and the lag of the event loop, are added. Default true. */
  readonly processMetrics?: boolean;
  /**
   * Whether some metrics get the label `tenant`: an alias for the first 100 tenants, `_other` for all others.
   * Default false.
   */
  readonly tenants?: boolean | NamedTenants;
  /** The labels of `event_query_build_info`. Default: that metric is left out. */
  readonly build?: { readonly version: string; readonly node: string; readonly store: string };
}

/** A meter that keeps its metrics in a registry of prom-client. */
export interface PrometheusMeter extends Meter {
  /** The registry: `registry.metrics()` is the text that Prometheus reads. */
  readonly registry: Registry;
}

/** Adds values to a metric, for a tenant where it counts by tenant. */
interface Counting {
  add(labels: Labels, value: number, tenantId?: string): void;
}

/** One reading of a gauge. */
interface GaugeReading {
  readonly labels: Labels;
  readonly read: () => number | undefined;
}

/**
 * Makes a meter from the table of metrics, for `nodeResources({ meter })` or `webResources({ meter })`.
 *
 * @example
 * ```ts
 * import { createEngine } from 'event-query';
 * import { memoryEventStore } from 'event-query/memory';
 * import { nodeResources } from 'event-query/node-http';
 * import { prometheusMeter } from 'event-query/prometheus';
 *
 * const meter = prometheusMeter({ processMetrics: false });
 * const resources = nodeResources({ meter });
 * const engine = createEngine({ events: memoryEventStore({ resources }), resources });
 * const { rejected } = await engine.tenant('shop').append([{ eventName: 'signed_up', userId: 'ada' }]);
 * if (rejected.length > 0) console.error(rejected);
 * const text = await meter.registry.metrics();
 * console.log(text.split('\n').find((line) => line.startsWith('event_query_events_ingested_total')));
 * // prints: event_query_events_ingested_total{result="accepted"} 1
 * ```
 */
export function prometheusMeter({
  registry = new Registry(),
  processMetrics = true,
  tenants = false,
  build,
}: PrometheusMeterOptions = {}): PrometheusMeter {
  const counted = new Map<string, Counting>();
  const readings = new Map<string, GaugeReading[]>();
  const ofTenants =
    tenants === false ? undefined : createTenantLabels(tenants === true ? nameTenants() : tenants);
  for (const [name, row] of Object.entries<MetricRow>(METRICS)) {
    const { type, help, labels, buckets, across = 'sum', perTenant = false } = row;
    const isOfTenants = perTenant && ofTenants !== undefined;
    const labelNames = [...Object.keys(labels), ...(isOfTenants ? ['tenant'] : [])];
    if (type !== 'gauge') {
      const series = createSeries(name, labelNames, buckets ?? []);
      counted.set(name, isOfTenants ? byTenant(series, ofTenants) : series);
      const get = () => Promise.resolve({ name, help, type, aggregator: 'sum', values: series.values() });
      // A metric is to a registry what has a name, `get` and `reset`; the types know only prom-client's own.
      registry.registerMetric({ name, type, get, reset: () => series.reset() } as unknown as Metric);
    } else {
      const own: GaugeReading[] = [];
      readings.set(name, own);
      new Gauge({
        ...{ name, help, labelNames, registers: [registry] },
        aggregator: across,
        collect() {
          this.reset();
          // prom-client sets a gauge without labels to 0; here nobody may be reading it.
          this.remove({});
          for (const { labels: each, read } of own) {
            const value = read();
            if (value !== undefined) this.inc(each, value);
          }
        },
      });
    }
  }
  if (processMetrics) {
    collectDefaultMetrics({ register: registry });
    // Gauges whose names are those of counters, which linters of metrics refuse.
    for (const what of ['handles', 'requests', 'resources'])
      registry.removeSingleMetric(`nodejs_active_${what}_total`);
  }

  const meter: PrometheusMeter = {
    registry,
    now: () => performance.now(),
    count: (name, labels, by = 1, tenantId) => counted.get(name)!.add(labels as Labels, by, tenantId),
    observe: (name, labels, value, tenantId) => counted.get(name)!.add(labels as Labels, value, tenantId),
    gauge: (name, labels, read) => void readings.get(name)!.push({ labels: labels as Labels, read }),
    meetTenant: ofTenants && ((id, alias) => ofTenants.meet(id, alias)),
  };
  if (build !== undefined) meter.gauge('event_query_build_info', build, () => 1);
  return meter;
}

/** Counts by tenant: under the label of each. */
function byTenant(series: Series, tenants: TenantLabels): Counting {
  return {
    add: (labels, value, tenantId) =>
      tenants.with(tenantId, (tenant) => series.add({ ...labels, tenant }, value)),
  };
}
