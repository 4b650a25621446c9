import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { METRICS, type MetricRow } from '../../src/core/base/metrics.ts';
import { createFolder, createTenant } from '../support/file.ts';
import { startServer } from '../support/server-process.ts';
import { askTenant, sendBatch, until } from '../support/traffic.ts';
import { ROOT } from '../tidy/sources.ts';
import { readYaml } from './libraries.ts';

const textOf = (name: string) => readFileSync(`${ROOT}adapters/cli/deploy/${name}`, 'utf8');

/** What the files may name beside the table: metrics of prom-client, and one that Prometheus itself makes. */
const OTHERS = [
  ...['up', 'process_resident_memory_bytes', 'process_cpu_seconds_total'],
  ...['nodejs_heap_size_used_bytes', 'nodejs_eventloop_lag_p99_seconds'],
];

/** All series by their name, as Prometheus shows them, each with the names of its labels. */
const SERIES = new Map(
  Object.entries<MetricRow>(METRICS).flatMap(([name, { type, labels }]) => {
    const names = type === 'histogram' ? ['_bucket', '_sum', '_count'].map((end) => name + end) : [name];
    return names.map((each) => [each, labels] as const);
  }),
);

const NAME = /\b(up|(?:event_query|http_server|process|nodejs)_\w+)\b/g;
const SELECTOR = /\b((?:event_query|http_server)_\w+)\{([^}]*)\}/g;
const MATCHER = /(\w+)\s*(?:=~|!~|!=|=)\s*"([^"]*)"/g;

/** What the expressions of a file name that does not exist: metrics, labels, values of labels. */
function findUnknown(expressions: readonly string[]): string[] {
  return expressions.flatMap((text) => [
    ...[...text.matchAll(NAME)].map(([, name]) => name!).filter((name) => !isKnown(name)),
    ...[...text.matchAll(SELECTOR)].flatMap(([, name, inner]) =>
      [...inner!.matchAll(MATCHER)].flatMap(([, label, value]) =>
        label === 'job' || isValue(SERIES.get(name!)?.[label!], value!)
          ? []
          : [`${name}{${label}="${value}"}`],
      ),
    ),
  ]);
}

const isKnown = (name: string) => SERIES.has(name) || OTHERS.includes(name);

/** Whether a label may be compared with a value; those in words of the table take any. */
function isValue(values: readonly string[] | string | undefined, value: string): boolean {
  return values !== undefined && (typeof values === 'string' || values.includes(value));
}

/** The metrics of the table that no expression of these names. */
function findUnwatched(expressions: readonly string[]): string[] {
  const named = new Set(expressions.flatMap((text) => [...text.matchAll(NAME)].map(([, name]) => name)));
  return Object.keys(METRICS).filter(
    (name) => !['', '_bucket', '_sum', '_count'].some((end) => named.has(name + end)),
  );
}

/** Everything under a key, wherever it stands in a value. */
function everyValueOf(key: string, value: unknown): unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value as Record<string, unknown>).flatMap(([name, each]) =>
    name === key ? [each] : everyValueOf(key, each),
  );
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}

describe('adapters/cli/deploy/grafana.json', () => {
  const dashboard = JSON.parse(textOf('grafana.json')) as {
    readonly panels: readonly {
      readonly id: number;
      readonly title: string;
      readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
    }[];
    readonly templating: { readonly list: readonly { readonly name: string }[] };
  };
  const expressions = everyValueOf('expr', dashboard).map(String);

  it('shows every metric of the table, and none that is not there', () => {
    expect(findUnknown(expressions)).toEqual([]);
    expect(findUnwatched(expressions)).toEqual([]);
  });

  it('asks the chosen source for the chosen job', () => {
    expect(expressions.filter((text) => !text.includes('job="$job"'))).toEqual([]);
    const sources = everyValueOf('datasource', dashboard) as { readonly uid: string }[];
    expect(new Set(sources.map(({ uid }) => uid))).toEqual(new Set(['${datasource}']));
    expect(dashboard.templating.list.map(({ name }) => name)).toEqual(['datasource', 'job']);
  });

  it('has panels of their own id and place', () => {
    const { panels } = dashboard;
    expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
    const cells = panels.flatMap(({ title, gridPos: { x, y, w, h } }) => {
      expect([title, x + w <= 24]).toEqual([title, true]);
      return Array.from({ length: w * h }, (_, i) => `${x + (i % w)}:${y + Math.floor(i / w)}`);
    });
    expect(new Set(cells).size).toBe(cells.length);
  });
});

describe('adapters/cli/deploy/alerts.yml', () => {
  const { groups } = readYaml(textOf('alerts.yml'))[0] as {
    readonly groups: readonly { readonly rules: readonly Rule[] }[];
  };
  const rules = groups.flatMap((group) => group.rules);

  it('names metrics, labels and values of the table', () => {
    expect(findUnknown(rules.map(({ expr }) => expr))).toEqual([]);
  });

  it('says of each alert how bad it is, what happens and what helps', () => {
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, labels, annotations } of rules) {
      expect([alert, ['critical', 'warning'].includes(labels.severity ?? '')]).toEqual([alert, true]);
      expect([alert, Object.keys(annotations)]).toEqual([alert, ['summary', 'description']]);
    }
  });

  it('is what the page lists', () => {
    const page = textOf('README.md');
    expect(rules.map(({ alert }) => alert).filter((alert) => !page.includes(`\`${alert}\``))).toEqual([]);
  });
});

/** What Prometheus' own tool says; undefined where it is not installed. */
function runPromtool(args: readonly string[], input = ''): string | undefined {
  const { error, status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input });
  if (error !== undefined) return undefined;
  return status === 0 && stderr === '' ? 'fine' : stdout + stderr;
}

const hasPromtool = runPromtool(['--version']) !== undefined;
if (!hasPromtool) {
  if (process.env.EVENT_QUERY_PROMTOOL === 'required')
    throw new Error('there is no promtool: apt-get install prometheus');
  console.warn(
    'SKIPPED: there is no promtool, so nothing checks rules and metrics: apt-get install prometheus',
  );
}

describe.skipIf(!hasPromtool)('by promtool', () => {
  const folder = createFolder();
  afterAll(() => folder.remove());

  it('the rules are right', () => {
    expect(runPromtool(['check', 'rules', `${ROOT}adapters/cli/deploy/alerts.yml`])).toBe('fine');
  });

  it('the configuration of the page is right, with the job that the rules name', () => {
    const [, block = ''] = /```text\n(rule_files:.*?)```/s.exec(textOf('README.md')) ?? [];
    const config = folder.file('prometheus.yml');
    writeFileSync(
      config,
      block.replace(/\/etc\/prometheus\/\S+?yml/, `${ROOT}adapters/cli/deploy/alerts.yml`),
    );
    expect(runPromtool(['check', 'config', config])).toBe('fine');
    const [{ scrape_configs: jobs }] = readYaml(block) as [{ scrape_configs: { job_name: string }[] }];
    const named = [...textOf('alerts.yml').matchAll(/job="([^"]+)"/g)].map(([, job]) => job);
    expect(new Set(named)).toEqual(new Set(jobs.map(({ job_name: job }) => job)));
  });

  it.each([[[]], [['--workers', '2']]])('the metrics of serve %j are right', async (flags) => {
    const db = folder.file(`watched-${flags.length}.db`);
    const shop = await createTenant(db, 'shop', { perMinute: 100, perDay: 1000 });
    const server = await startServer({ db, args: ['--admin-port', '0', ...flags] });
    const url = () => /^metrics at (\S+)$/m.exec(server.printed.join('\n'))?.[1];
    await until('it says where its metrics are', () => url() !== undefined);
    const event = {
      eventName: 'a',
      userId: 'u',
      eventTs: '2026-01-01T00:00:00Z',
      insertId: '1',
      properties: {},
    };
    await sendBatch(server.origin, 'shop', [event]);
    await askTenant(server.origin, shop, 'count');
    const text = await (await fetch(url()!)).text();
    await server.stop();
    expect(runPromtool(['check', 'metrics'], text)).toBe('fine');
    expect(text).toContain('event_query_events_ingested_total{result="accepted"} 1');
  });
});
