import { sdkProtocols } from '../../adapters/sdks/index.ts';
import { memoryStores } from '../../adapters/memory/index.ts';
import { createApi, type Api, type ApiOptions, type Logger, type Stores } from '../../src/index.ts';
import type { HttpRequest, HttpResponse } from '../../src/transport-kit.ts';
import { documented } from './documented.ts';
import { createTestClock, createTestLog, type LogEntry, type TestClock } from './test-server.ts';
import { testResources, type TestResources } from './resources.ts';

/** A request as a test writes it. */
export interface PlainRequest {
  readonly method?: string;
  readonly target: string;
  /** By lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The text of the body; a function is asked when the body is read. */
  readonly body?: string | (() => string | Promise<string>);
  readonly signal?: HttpRequest['signal'];
  readonly isClosing?: () => boolean;
  /** The address of the client; unknown unless told. */
  readonly address?: string;
}

/** An answer, its body read to its end. */
export interface PlainAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The whole API over stores in memory, without a socket: plain data in, plain data out. */
export interface PlainApi extends Api {
  readonly stores: Stores;
  readonly clock: TestClock;
  readonly log: Logger & { readonly entries: LogEntry[] };
  /** Throws for an answer that the OpenAPI document does not describe. */
  readonly send: (request: PlainRequest) => Promise<PlainAnswer>;
  /** POSTs JSON. */
  readonly post: (
    target: string,
    body: unknown,
    headers?: Readonly<Record<string, string>>,
  ) => Promise<PlainAnswer>;
  /** Makes a tenant, without limits where no plan is said, and a key for queries; the key's secret. */
  readonly createTenant: (
    alias: string,
    options?: Partial<Parameters<Api['admin']['createTenant']>[0]>,
  ) => Promise<string>;
}

/** A request as a transport hands it to the core. */
export function toRequest({
  method = 'POST',
  target,
  headers = {},
  body = '',
  signal,
  isClosing = () => false,
  address,
}: PlainRequest) {
  return {
    isClosing,
    method,
    ...(address === undefined ? {} : { address }),
    target,
    signal: signal ?? { aborted: false },
    header: (name: string) => headers[name],
    text: async () => (typeof body === 'string' ? body : body()),
  } satisfies HttpRequest;
}

/** An answer, read to its end; a header that stands several times is one of several lines. */
export async function toPlainAnswer({ status, headers, body }: HttpResponse): Promise<PlainAnswer> {
  const fields = Object.entries(headers).map(([name, value]) => [name, [value].flat().join('\n')]);
  let text = typeof body === 'string' ? body : '';
  if (typeof body !== 'string') for await (const piece of body) text += piece;
  return { status, headers: Object.fromEntries(fields) as PlainAnswer['headers'], body: text };
}

interface PlainApiOptions extends Partial<Omit<ApiOptions, 'stores' | 'resources'>> {
  readonly resources?: TestResources;
  /** Changes the stores before they are wired, for instance so that one fails. */
  readonly wrap?: (stores: Stores) => Stores;
}

/** Puts the API together, with a clock that stands still. */
export function createPlainApi({ wrap, resources: given, ...options }: PlainApiOptions = {}): PlainApi {
  const clock = createTestClock();
  const log = createTestLog();
  const resources = testResources({
    log,
    ...given,
    runtime: { now: () => clock.now(), elapsed: () => clock.now(), ...given?.runtime },
  });
  const memory = memoryStores({ resources });
  const stores = wrap?.(memory) ?? memory;
  const api = createApi({ stores, resources, protocols: sdkProtocols(), ...options });
  // What breaks for callers must not break what a test prepares.
  const { admin } = createApi({ stores: memory, resources });
  const json = { 'content-type': 'application/json' };

  async function send(request: PlainRequest): Promise<PlainAnswer> {
    return documented(request, await toPlainAnswer(await api.handler(toRequest(request))));
  }

  return {
    ...api,
    admin,
    stores,
    clock,
    log,
    send,
    post: (target, body, headers = {}) =>
      send({ target, headers: { ...json, ...headers }, body: JSON.stringify(body) }),
    createTenant: async (alias, more = {}) => {
      await admin.createTenant({ alias, plan: 'custom', limits: null, ...more });
      return (await admin.createKey(alias, { name: 'test', permissions: ['query'] })).secret;
    },
  };
}
