import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { ROOT } from './source-copy.ts';

/** A span as a collector of OpenTelemetry gets it. */
export interface CollectedSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
}

/** A collector, to which the SDK of another process sends its spans. */
export interface Collector {
  readonly url: string;
  spans(): readonly CollectedSpan[];
  /** Which services they are of. */
  services(): readonly unknown[];
  close(): Promise<void>;
}

interface Request {
  readonly resourceSpans: readonly {
    readonly resource: Pick<CollectedSpan, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly CollectedSpan[] }[];
  }[];
}

/** Starts a collector on a free port. */
export async function startCollector(): Promise<Collector> {
  const got: Request[] = [];
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      if (req.url === '/v1/traces') got.push(JSON.parse(body) as Request);
      res.end('{}');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const all = () => got.flatMap(({ resourceSpans }) => resourceSpans);
  return {
    url: `http://127.0.0.1:${port}`,
    spans: () => all().flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    services: () =>
      all().map(
        ({ resource }) => resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue,
      ),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Where the page for operators says how spans are sent. */
const PAGE = 'adapters/cli/operate.md';

/** Writes the file that this page shows into a folder, which finds the packages; the flags that load it. */
export function writePreload(folder: string, more = ''): string {
  const page = readFileSync(join(ROOT, PAGE), 'utf8');
  const section = page.split(/^### /m).find((each) => each.startsWith('Traces\n'))!;
  const [, program = ''] = /^```ts\n([\s\S]*?)^```$/m.exec(section) ?? [];
  const [, options = ''] = /^NODE_OPTIONS="([^"]+)" npx event-query serve$/m.exec(section) ?? [];
  if (program === '' || options === '') throw new Error(`${PAGE} does not say how to trace`);
  writeFileSync(join(folder, 'tracing.mjs'), program + more);
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'), 'dir');
  return options;
}
