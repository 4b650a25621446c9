import {
  aborted,
  isAborted,
  overloaded,
  requireOptions,
  type Reservation,
  type MemoryBudget,
  type Logger,
  type ServedApi,
} from '../../src/index.ts';
import {
  begin,
  belowPrefix,
  createAdmission,
  isHealth,
  networkOf,
  ownerOf,
  toErrorAnswer,
  toLogPath,
  toTarget,
  UNPACK_RATIO_MAX,
  type Admission,
  type HttpRequest,
  type HttpResponse,
  type PiecesResponse,
  type TextResponse,
  type Visitor,
} from '../../src/transport-kit.ts';
import { readText } from './body.ts';

/**
 * Answers one `Request` with a `Response`. `platform` holds the further arguments of the runtime, which
 * `addressOf` receives. It never rejects: every failure becomes an error answer.
 */
export type FetchHandler<P extends readonly unknown[] = []> = (
  request: Request,
  ...platform: P
) => Promise<Response>;

/** The options of `createFetchHandler`. */
export interface FetchHandlerOptions<P extends readonly unknown[] = []> {
  /** The API from `createApi`, or another handler with its resources. */
  readonly api: ServedApi;
  /**
   * How many requests may run at once; further ones get 503. Tenants with a recently admitted request share
   * one half fairly; client addresses share the other half. Default 1,000.
   */
  readonly runningMax?: number;
  /**
   * Returns the address of the client, from the request or from the runtime's further arguments. Absent: all
   * clients count as one until their tenant is known.
   */
  readonly addressOf?: (request: Request, ...platform: P) => string | undefined;
  /** The path below which the API is mounted, when the framework leaves it in the URL. */
  readonly prefix?: string;
  /** The largest average ratio of unpacked to gzip bytes beyond the first 256 KiB; a higher one gets 400. */
  readonly unpackRatioMax?: number;
}

const RUNNING_MAX = 1_000;

/** One request as the core sees it, with the resources that it holds. */
interface FetchExchange extends HttpRequest {
  readonly visitor: Visitor;
  waitedMs: number | undefined;
  bytesIn: number;
  readonly book: (bytes: number, owner?: string) => boolean;
  readonly release: (bytes: number) => void;
  /** Releases all resources, and marks the request as aborted. */
  readonly leave: () => void;
}

/**
 * Serves an API with web standards only, in any runtime that has them. The runtime is responsible for
 * timeouts and the number of connections.
 *
 * @throws {TypeError} When the API is missing.
 * @example
 * ```ts
 * import { createApi } from 'event-query';
 * import { createFetchHandler, webResources } from 'event-query/fetch';
 * import { memoryStores } from 'event-query/memory';
 *
 * const resources = webResources();
 * const handle = createFetchHandler({ api: createApi({ stores: memoryStores({ resources }), resources }) });
 * const { status } = await handle(new Request('http://127.0.0.1/healthz'));
 * console.log(status);
 * // prints: 200
 * ```
 */
export function createFetchHandler<P extends readonly unknown[] = []>(
  options: FetchHandlerOptions<P>,
): FetchHandler<P> {
  requireOptions('createFetchHandler', options, ['api']);
  const { api, addressOf, unpackRatioMax = UNPACK_RATIO_MAX, runningMax = RUNNING_MAX } = options;
  const { handler, resources } = api;
  const { memory, scheduler, log, tracer } = resources;
  const below = belowPrefix(options.prefix ?? '');
  const admission = createAdmission({ scheduler, placesMax: runningMax });

  async function run(exchange: FetchExchange): Promise<HttpResponse> {
    if (isHealth(exchange)) return handler(exchange);
    if (!admission.takePlace(exchange.visitor)) throw overloaded();
    let answered: Promise<HttpResponse> | undefined;
    // A request whose tenant is unknown is begun by another one's job.
    const handle = tracer === undefined ? handler : tracer.bind(handler);
    try {
      const cameAt = performance.now();
      // This slice covers only the start; long work schedules its own slices.
      await admission.inTurn(exchange.visitor, exchange.signal, () => {
        exchange.waitedMs = performance.now() - cameAt;
        answered = handle(exchange);
      });
      return await answered!;
    } finally {
      admission.leavePlace(exchange.visitor);
    }
  }

  return async (request, ...platform) => {
    const address = addressOf?.(request, ...platform);
    const exchange = createExchange(request, address, { admission, memory, below, unpackRatioMax });
    try {
      const response = await begin(await run(exchange));
      if ('rest' in response) return streamed(request, exchange, response, log);
      exchange.leave();
      return whole(response, request.method === 'HEAD');
    } catch (error) {
      exchange.leave();
      return whole(toErrorAnswer(error, crypto.randomUUID(), exchange));
    }
  };
}

interface FetchTools {
  readonly admission: Admission;
  readonly memory: MemoryBudget;
  readonly below: (target: string) => string;
  readonly unpackRatioMax: number;
}

function createExchange(
  request: Request,
  address: string | undefined,
  { admission, memory, below, unpackRatioMax }: FetchTools,
): FetchExchange {
  const target = below(toTarget(request.url.replace(/#.*/s, '')));
  const visitor = admission.meet(networkOf(address ?? ''), target);
  let reservation: Reservation | undefined;
  let isGone = false;
  const exchange: FetchExchange = {
    method: request.method,
    target,
    scheme: request.url.startsWith('https:') ? 'https' : 'http',
    header: (name) => request.headers.get(name) ?? undefined,
    visitor,
    waitedMs: undefined,
    bytesIn: 0,
    ...(address === undefined ? {} : { address }),
    admit: (tenantId) => admission.admit(visitor, tenantId),
    signal: {
      get aborted() {
        return isGone || request.signal.aborted;
      },
    },
    book: (bytes, owner = ownerOf(visitor)) => (reservation ??= memory.reservation(owner)).reserve(bytes),
    release: (bytes) => reservation?.release(Math.min(bytes, reservation.bytes)),
    leave: () => {
      isGone = true;
      reservation?.release();
    },
    text: (bytesMax, owner) =>
      readText(request, {
        bytesMax,
        unpackRatioMax,
        book: (bytes) => exchange.book(bytes, owner),
        release: exchange.release,
        refusal: overloaded,
        note: (bytes) => (exchange.bytesIn = bytes),
      }),
  };
  return exchange;
}

const UTF8 = new TextEncoder();

/** Lists the headers as pairs; a header with several values has a pair for each. */
function toFields(headers: HttpResponse['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
}

function whole({ status, headers, body, isBinary }: TextResponse, isHead = false): Response {
  if (status === 204) return new Response(null, { status, headers: toFields(headers) });
  const bytes = isBinary === true ? Uint8Array.from(body, (sign) => sign.charCodeAt(0)) : UTF8.encode(body);
  const fields = { ...headers, 'Content-Length': String(bytes.length) };
  return new Response(isHead ? null : bytes, { status, headers: toFields(fields) });
}

/** An answer whose chunks are produced as the client reads; the stream errors when one fails. */
function streamed(
  request: Request,
  exchange: FetchExchange,
  { status, headers, first, rest }: PiecesResponse,
  log: Logger,
): Response {
  let next: Uint8Array<ArrayBuffer> | undefined = UTF8.encode(first);
  if (!exchange.book(next.length)) {
    void rest.return?.();
    throw overloaded();
  }

  async function end(): Promise<void> {
    exchange.leave();
    // An error while the source closes does not matter any more.
    await rest.return?.().catch(() => undefined);
  }

  async function makeNext(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    // After the client has gone, the body must not end as if it were complete.
    if (exchange.signal.aborted) throw aborted();
    const made = await rest.next();
    if (made.done === true) return undefined;
    const bytes = UTF8.encode(made.value);
    if (!exchange.book(bytes.length)) throw overloaded();
    return bytes;
  }

  // The runtime cancels a stream that is no longer read, but may forget one whose reading has not begun.
  request.signal.addEventListener('abort', () => void end(), { once: true });
  const path = toLogPath(exchange.target);
  let taken = 0;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      async pull(controller) {
        exchange.release(taken);
        try {
          const piece = next ?? (await makeNext());
          next = undefined;
          taken = piece?.length ?? 0;
          if (piece === undefined) controller.close();
          else controller.enqueue(piece);
          if (piece === undefined) await end();
        } catch (error) {
          // The status was sent already: only a body without an end can show that the answer is incomplete.
          if (!isAborted(error)) log.error({ path, err: error }, 'an answer broke off');
          await end();
          throw error;
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, headers: toFields(headers) });
}
