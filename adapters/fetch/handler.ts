import {
  aborted,
  isAborted,
  overloaded,
  requireOptions,
  type Account,
  type Ledger,
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
 * Answers one request by web standards; `platform` is what a runtime gives beside it and `addressOf` asks
 * for. It never rejects: what goes wrong is an answer.
 */
export type FetchHandler<P extends readonly unknown[] = []> = (
  request: Request,
  ...platform: P
) => Promise<Response>;

/** What is served, and how. */
export interface FetchHandlerOptions<P extends readonly unknown[] = []> {
  /** The API, of `createApi`, or another handler with its resources. */
  readonly api: ServedApi;
  /**
   * How many requests may be worked on; further ones get 503. Half of them are for tenants of whom somebody
   * was admitted lately, who share it fairly; the other is shared by addresses. Default 1,000.
   */
  readonly runningMax?: number;
  /**
   * The address of a client, by the request or by what the runtime gives beside it. Absent: all clients count
   * as one until it is known which tenant they are for.
   */
  readonly addressOf?: (request: Request, ...platform: P) => string | undefined;
  /** The path below which the API is, where the framework leaves it in the address. */
  readonly prefix?: string;
  /** How many bytes a byte of gzip may unpack to, on average, beyond the first 256 KiB; then 400. */
  readonly unpackRatioMax?: number;
}

const RUNNING_MAX = 1_000;

/** One request as the core sees it, and what it holds. */
interface FetchExchange extends HttpRequest {
  readonly visitor: Visitor;
  readonly book: (bytes: number, owner?: string) => boolean;
  readonly release: (bytes: number) => void;
  /** Gives back all that is held, and notes that nobody waits any more. */
  readonly leave: () => void;
}

/**
 * Serves an API by web standards alone, in any runtime that has them. Time limits and the number of
 * connections are the runtime's affair.
 *
 * @throws {TypeError} Where the API is missing.
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
  const { memory: ledger, scheduler, log } = resources;
  const below = belowPrefix(options.prefix ?? '');
  const admission = createAdmission({ scheduler, placesMax: runningMax });

  async function run(exchange: FetchExchange): Promise<HttpResponse> {
    if (isHealth(exchange)) return handler(exchange);
    if (!admission.takePlace(exchange.visitor)) throw overloaded();
    let answered: Promise<HttpResponse> | undefined;
    try {
      // This slice covers only the start; long work schedules its own slices.
      await admission.inTurn(exchange.visitor, exchange.signal, () => void (answered = handler(exchange)));
      return await answered!;
    } finally {
      admission.leavePlace(exchange.visitor);
    }
  }

  return async (request, ...platform) => {
    const address = addressOf?.(request, ...platform);
    const exchange = createExchange(request, address, { admission, ledger, below, unpackRatioMax });
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
  readonly ledger: Ledger;
  readonly below: (target: string) => string;
  readonly unpackRatioMax: number;
}

function createExchange(
  request: Request,
  address: string | undefined,
  { admission, ledger, below, unpackRatioMax }: FetchTools,
): FetchExchange {
  const target = below(toTarget(request.url.replace(/#.*/s, '')));
  const visitor = admission.meet(networkOf(address ?? ''), target);
  let account: Account | undefined;
  let isGone = false;
  const exchange: FetchExchange = {
    method: request.method,
    target,
    header: (name) => request.headers.get(name) ?? undefined,
    visitor,
    ...(address === undefined ? {} : { address }),
    admit: (tenantId) => admission.admit(visitor, tenantId),
    signal: {
      get aborted() {
        return isGone || request.signal.aborted;
      },
    },
    book: (bytes, owner = ownerOf(visitor)) => (account ??= ledger.account(owner)).book(bytes),
    release: (bytes) => account?.release(Math.min(bytes, account.bytes)),
    leave: () => {
      isGone = true;
      account?.release();
    },
    text: (bytesMax, owner) =>
      readText(request, {
        bytesMax,
        unpackRatioMax,
        book: (bytes) => exchange.book(bytes, owner),
        release: exchange.release,
        refusal: overloaded,
      }),
  };
  return exchange;
}

const UTF8 = new TextEncoder();

/** Each header with its value; one with several stands as often. */
function toFields(headers: HttpResponse['headers']): [string, string][] {
  return Object.entries(headers).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, each]),
  );
}

function whole({ status, headers, body }: TextResponse, isHead = false): Response {
  if (status === 204) return new Response(null, { status, headers: toFields(headers) });
  const bytes = UTF8.encode(body);
  const fields = { ...headers, 'Content-Length': String(bytes.length) };
  return new Response(isHead ? null : bytes, { status, headers: toFields(fields) });
}

/** An answer whose pieces are made as the client takes them; it errors where one fails. */
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
    // How a source ends that nobody reads is nobody's concern.
    await rest.return?.().catch(() => undefined);
  }

  async function makeNext(): Promise<Uint8Array<ArrayBuffer> | undefined> {
    // What has ended for want of a client must not look as if it were all.
    if (exchange.signal.aborted) throw aborted();
    const made = await rest.next();
    if (made.done === true) return undefined;
    const bytes = UTF8.encode(made.value);
    if (!exchange.book(bytes.length)) throw overloaded();
    return bytes;
  }

  // The runtime cancels what nobody reads any more; one that has not begun to read may forget to.
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
          // The status is out already, so only the missing end of the body can tell that this is not all.
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
