import {
  aborted,
  begin,
  belowPrefix,
  createLedger,
  isAborted,
  overloaded,
  ownerOf,
  toErrorAnswer,
  toLogPath,
  toTarget,
  UNPACK_RATIO_MAX,
  type Account,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  type Ledger,
  type Logger,
  type PiecesResponse,
  type TextResponse,
} from '../../src/index.ts';
import { readText } from './body.ts';

/** Answers one request by web standards. It never rejects: what goes wrong is an answer. */
export type FetchHandler = (request: Request) => Promise<Response>;

/** What is served, and how. */
export interface FetchHandlerOptions {
  /** The API: `handler` of `createApi`. */
  readonly handler: HttpHandler;
  /** Where answers that break off are told of. Absent: nowhere. */
  readonly log?: Logger;
  /**
   * Where bodies and pieces of answers are booked; one of 256 MiB where none is given. Give the one that the
   * stores have, so that all together stay within its bound.
   */
  readonly ledger?: Ledger;
  /** The path below which the API is, where the framework leaves it in the address. */
  readonly prefix?: string;
  /** How many bytes a byte of gzip may unpack to, on average, beyond the first 256 KiB; then 400. */
  readonly unpackRatioMax?: number;
}

const LEDGER_BYTES = 268_435_456;

/** One request as the core sees it, and what it holds. */
interface Exchange extends HttpRequest {
  readonly book: (bytes: number, owner?: string) => boolean;
  readonly release: (bytes: number) => void;
  /** Gives back all that is held, and notes that nobody waits any more. */
  readonly leave: () => void;
}

/**
 * Serves a handler by web standards alone, in any runtime that has them. Time limits and the number of
 * connections are the runtime's affair.
 */
export function createFetchHandler(options: FetchHandlerOptions): FetchHandler {
  const { handler, log, ledger = createLedger({ bytesMax: LEDGER_BYTES }) } = options;
  const { unpackRatioMax = UNPACK_RATIO_MAX } = options;
  const below = belowPrefix(options.prefix ?? '');

  return async (request) => {
    const exchange = createExchange(request, { ledger, below, unpackRatioMax });
    try {
      const response = await begin(await handler(exchange));
      if ('rest' in response) return streamed(request, exchange, response, log);
      exchange.leave();
      return whole(response);
    } catch (error) {
      exchange.leave();
      return whole(toErrorAnswer(error, crypto.randomUUID(), exchange));
    }
  };
}

function createExchange(
  request: Request,
  {
    ledger,
    below,
    unpackRatioMax,
  }: { ledger: Ledger; below: (target: string) => string; unpackRatioMax: number },
): Exchange {
  const target = below(toTarget(request.url.replace(/#.*/s, '')));
  let account: Account | undefined;
  let isGone = false;
  const exchange: Exchange = {
    method: request.method,
    target,
    header: (name) => request.headers.get(name) ?? undefined,
    signal: {
      get aborted() {
        return isGone || request.signal.aborted;
      },
    },
    book: (bytes, owner = ownerOf(target)) => (account ??= ledger.account(owner)).book(bytes),
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

function whole({ status, headers, body }: TextResponse): Response {
  if (status === 204) return new Response(null, { status, headers: toFields(headers) });
  const bytes = UTF8.encode(body);
  const fields = { ...headers, 'Content-Length': String(bytes.length) };
  return new Response(bytes, { status, headers: toFields(fields) });
}

/** An answer whose pieces are made as the client takes them; it errors where one fails. */
function streamed(
  request: Request,
  exchange: Exchange,
  { status, headers, first, rest }: PiecesResponse,
  log: Logger | undefined,
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
          if (!isAborted(error)) log?.error({ path, err: error }, 'an answer broke off');
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
