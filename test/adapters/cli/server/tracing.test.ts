import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { cleanEnv } from '../../../support/clean-env.ts';
import { startCollector, writePreload, type Collector } from '../../../support/collector.ts';
import { ROOT } from '../../../support/source-copy.ts';
import { clientTrace } from '../../../support/spans.ts';
import { createPlace, NODE_ARGS, type Place, type Server } from '../command.ts';

let place: Place;
let collector: Collector;
beforeAll(async () => {
  place = createPlace();
  collector = await startCollector();
  await place.ok(['tenant', 'create', 'shop', '--plan', 'free']);
});
afterAll(async () => {
  place.remove();
  await collector.close();
});

type Line = Readonly<Record<string, unknown>>;
const linesOf = (log: string, msg: string) =>
  log
    .split('\n')
    .filter((line) => line.startsWith('{'))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.msg === msg);

const EVENTS = '[{"eventName":"paid","userId":"ada"}]';
const { traceId, spanId, traceparent } = clientTrace();

/** Sends an event as a part of a trace. */
const send = (url: string) =>
  fetch(`${url}/v1/events/shop/multi`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', traceparent },
    body: EVENTS,
  });

/** Expects a server that answers as one that traces, and records nothing. */
async function expectUntraced(server: Pick<Server, 'url' | 'log' | 'stop'>): Promise<void> {
  expect((await send(server.url)).status).toBe(200);
  expect(await server.stop()).toBe(0);
  const log = server.log();
  expect(linesOf(log, 'started')).toHaveLength(1);
  expect(linesOf(log, 'started')[0]).not.toHaveProperty('traces');
  expect(linesOf(log, 'request')).toHaveLength(1);
  expect(linesOf(log, 'request')[0]).not.toHaveProperty('traceId');
  expect(log).not.toContain('@opentelemetry');
}

describe('serve traces', () => {
  it('as the page says: with what is loaded before it, which gets all spans by the end', async () => {
    const NODE_OPTIONS = writePreload(place.folder);
    const env = { NODE_OPTIONS, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url };
    const server = await place.serve(['serve', '--log-addresses'], undefined, env);
    const answer = await send(server.url);
    expect(answer.status).toBe(200);
    expect(await server.stop()).toBe(0);
    const [append, request] = collector.spans();
    expect(collector.spans()).toHaveLength(2);
    expect(request).toMatchObject({
      name: 'POST /v1/events/{tenantId}/multi',
      traceId,
      parentSpanId: spanId,
    });
    expect(append).toMatchObject({ name: 'event_query.append', traceId, parentSpanId: request?.spanId });
    expect(request?.attributes).toContainEqual({
      key: 'client.address',
      value: { stringValue: '127.0.0.1' },
    });
    expect(new Set(collector.services())).toEqual(new Set(['event-query']));
    expect(linesOf(server.log(), 'started')[0]).toHaveProperty('traces', 'opentelemetry');
    const requestId = answer.headers.get('X-Request-Id');
    expect(linesOf(server.log(), 'request')[0]).toMatchObject({ requestId, traceId });
  });

  it('within the span of an HTTP instrumentation, to which it tells the route', async () => {
    const other = createPlace();
    const got = await startCollector();
    await other.ok(['tenant', 'create', 'shop', '--plan', 'free']);
    const NODE_OPTIONS = writePreload(
      other.folder,
      `import { createRequire } from 'node:module';
       import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
       const http = new HttpInstrumentation({ ignoreOutgoingRequestHook: () => true });
       http.setTracerProvider(provider);
       createRequire(import.meta.url)('node:http');`,
    );
    const env = { NODE_OPTIONS, OTEL_EXPORTER_OTLP_ENDPOINT: got.url, OTEL_SEMCONV_STABILITY_OPT_IN: 'http' };
    const server = await other.serve(['serve'], undefined, env);
    expect((await send(server.url)).status).toBe(200);
    expect(await server.stop()).toBe(0);
    const byName = new Map(got.spans().map((span) => [span.name, span]));
    const outer = byName.get('POST /v1/events/{tenantId}/multi');
    const inner = byName.get('event_query.request');
    expect(got.spans()).toHaveLength(3);
    expect(outer).toMatchObject({ kind: 2, traceId, parentSpanId: spanId });
    expect(inner).toMatchObject({ kind: 1, traceId, parentSpanId: outer?.spanId });
    expect(byName.get('event_query.append')).toMatchObject({ traceId, parentSpanId: inner?.spanId });
    other.remove();
    await got.close();
  });
});

describe('serve does not trace', () => {
  it('where nothing is registered', async () => {
    await expectUntraced(await place.serve(['serve']));
  });

  it('where the package is not installed, and nothing breaks', async () => {
    const elsewhere = createPlace();
    onTestFinished(() => elsewhere.remove());
    const { folder } = elsewhere;
    const [program = ''] = NODE_ARGS;
    cpSync(dirname(program), join(folder, 'dist'), { recursive: true });
    // Its packages are those of the project but for one: it is not even a package of theirs.
    const packages = join(ROOT, 'node_modules');
    mkdirSync(join(folder, 'node_modules'));
    for (const name of readdirSync(packages)) {
      if (name !== '@opentelemetry' && !name.startsWith('.'))
        symlinkSync(join(packages, name), join(folder, 'node_modules', name));
    }
    const from = createRequire(join(folder, 'dist', 'any.js'));
    expect(() => from.resolve('@opentelemetry/api')).toThrow('Cannot find');
    expect(from.resolve('commander')).toBeTypeOf('string');
    const args = [join(folder, 'dist', basename(program)), 'serve', '--port', '0'];
    const env = { ...cleanEnv(), EVENT_QUERY_DB: place.db };
    const child = spawn(process.execPath, args, { cwd: folder, env });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    let log = '';
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => (log += chunk));
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
    const found = () => /listening on (\S+)\n/.exec(printed)?.[1];
    await expect.poll(() => found() ?? child.exitCode).not.toBeNull();
    const stop = () => {
      child.kill('SIGTERM');
      return ended;
    };
    await expectUntraced({ url: found()!, log: () => log, stop });
  });
});
