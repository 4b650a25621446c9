import type { AskOptions, EventInput } from '../../src/index.ts';
import { createDelivery, type SenderCredentials } from './delivery.ts';
import { EventQueryError } from './errors.ts';
import { checkOptions, isHeaderWord, TIMER_MS_MAX, type NumberRange, type TargetOptions } from './options.ts';
import { isHiddenPage, isPage, LEAVING_BYTES_MAX, onLeave, warnInPages } from './page.ts';
import { createIntake, createQueue, eventOf } from './queue.ts';
import { createSending, type Undelivered } from './sending.ts';

/** Which tenant a sender sends to, and how. */
export interface SenderOptions extends TargetOptions, SenderCredentials {
  /** The most events of a request, 1 to 2,000. Default 500. */
  readonly batchMax?: number;
  /** The most bytes of a request, unless one event is larger. Default 512 KiB; in a page, 60 KiB. */
  readonly batchBytesMax?: number;
  /** How long an event waits for others to share its request, in milliseconds. Default 1,000. */
  readonly delayMs?: number;
  /** The most events that wait. Default 10,000. */
  readonly queueMax?: number;
  /** The most bytes of events that wait, as JSON. Default 64 MiB. */
  readonly queueBytesMax?: number;
  /** How long `close` waits for the server, in milliseconds. Default 5,000. */
  readonly closeMs?: number;
  /**
   * Called with events that the sender gives up, and with the reason. Default: prints the reason with
   * `console.error`.
   */
  readonly onError?: (error: EventQueryError, undelivered: readonly Undelivered[]) => void;
}

/**
 * Sends one tenant's events over HTTP, in their order. Each event is stored once, or reported once to
 * `onError`.
 */
export interface Sender {
  /**
   * Puts events into the queue. It never throws: what cannot be sent, or does not fit into the queue, is
   * reported to `onError`. The events may be changed afterwards.
   */
  append(events: EventInput | readonly EventInput[]): void;
  /** Sends without delay. Resolves when all events appended before are stored or reported. */
  flush(options?: AskOptions<AbortSignal>): Promise<void>;
  /**
   * Flushes, for `closeMs` at most, and reports what is left then. Events appended later are reported. A
   * process that does not close its sender ends when the queue is empty.
   */
  close(): Promise<void>;
}

const RANGES: Readonly<Record<string, NumberRange>> = {
  batchMax: [1, 2000],
  batchBytesMax: [1, 10 * 2 ** 20],
  delayMs: [0, TIMER_MS_MAX],
  queueMax: [1, Number.MAX_SAFE_INTEGER],
  queueBytesMax: [1, Number.MAX_SAFE_INTEGER],
  closeMs: [0, TIMER_MS_MAX],
};

/**
 * Makes a sender. Throws a TypeError for options with which nothing can be sent.
 *
 * @example
 * ```ts
 * import { createSender } from 'event-query/client';
 *
 * const sender = createSender({ url: 'http://127.0.0.1:8787', tenant: 'shop', secretKey: '<SECRET>' });
 * const sell = (total: number) =>
 *   sender.append({ eventName: 'order_placed', userId: 'ada', properties: { total } });
 * console.log(typeof sell);
 * // prints: function
 * await sender.close();
 * ```
 */
export function createSender(options: SenderOptions): Sender {
  checkSender(options);
  if (options.secretKey !== undefined) warnInPages('secret key');
  const { batchMax = 500, delayMs = 1000, closeMs = 5000, queueMax = 10_000 } = options;
  const { batchBytesMax = isPage() ? LEAVING_BYTES_MAX : 512 * 1024, queueBytesMax = 64 * 2 ** 20 } = options;
  const queue = createQueue(queueMax, queueBytesMax);
  const toWaiting = createIntake();
  const ending = new AbortController();
  const flushes = new Set<{ readonly upTo: number; readonly resolve: () => void }>();
  /** How many events have entered the queue, how many have left it, and up to which a left page has sent. */
  let [entered, left, copied] = [0, 0, 0];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let [isSending, isClosed, isLeaving] = [false, false, false];
  let closed: Promise<void> | undefined;
  const isDue = () => queue.length >= batchMax || queue.bytes >= batchBytesMax || flushes.size > 0;
  const sending = createSending({
    ...{ queue, batchMax, batchBytesMax, isDue, report },
    delivery: createDelivery(options),
    hasTokens: options.getToken !== undefined,
    ended: ending.signal,
    onSettled(count) {
      left += count;
      for (const flush of flushes) if (flush.upTo <= left) flush.resolve();
    },
  });
  const stopLeaving = onLeave(leave);

  function report(error: EventQueryError, undelivered: readonly Undelivered[]): void {
    try {
      if (options.onError === undefined) console.error(`event-query: ${error.message}`);
      else options.onError(error, undelivered);
    } catch (thrown) {
      console.error('event-query: onError has thrown', thrown);
    }
  }

  function start(): void {
    clearTimeout(timer);
    timer = undefined;
    if (isSending || queue.length === 0) return;
    isSending = true;
    void sending.send().then(() => {
      isSending = false;
      startWhenDue();
    });
  }

  function startWhenDue(): void {
    if (isSending || queue.length === 0) return;
    if (isDue()) start();
    else timer ??= setTimeout(start, delayMs);
  }

  function leave(): void {
    isLeaving = false;
    start();
    const from = Math.max(copied, left);
    // Copies that did not arrive are sent again when the page is left again.
    const copyAgain = () => (copied = Math.min(copied, from));
    copied = left + sending.leave(from - left, copyAgain);
  }

  /** A hidden page may end at any time, so it sends at once what its script appends before it rests. */
  function leaveSoon(): void {
    if (!isLeaving) queueMicrotask(leave);
    isLeaving = true;
  }

  /** Puts an event into the queue, or says why not. */
  function add(event: EventInput): Undelivered | undefined {
    if (isClosed) return { event, reason: 'the sender is closed' };
    try {
      const waiting = toWaiting(event);
      if (!queue.add(waiting)) return { event: eventOf(waiting), reason: 'the queue is full' };
      entered += 1;
      return undefined;
    } catch (thrown) {
      return { event, reason: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  }

  async function flush({ signal }: AskOptions<AbortSignal> = {}): Promise<void> {
    signal?.throwIfAborted();
    if (left >= entered) return;
    await new Promise<void>((resolve, reject) => {
      const stop = () => {
        flushes.delete(own);
        reject(signal?.reason as Error);
      };
      const own = {
        upTo: entered,
        resolve: () => {
          flushes.delete(own);
          signal?.removeEventListener('abort', stop);
          resolve();
        },
      };
      signal?.addEventListener('abort', stop, { once: true });
      flushes.add(own);
      startWhenDue();
    });
  }

  async function end(): Promise<void> {
    isClosed = true;
    const late = new Error(`the sender was closed, and not everything was sent within ${closeMs} ms`);
    const limit = setTimeout(() => ending.abort(late), closeMs);
    await flush();
    clearTimeout(limit);
    stopLeaving();
  }

  return {
    append(events) {
      const given: readonly EventInput[] = Array.isArray(events) ? events : [events as EventInput];
      const refused = given.map(add).filter((each) => each !== undefined);
      if (isHiddenPage()) leaveSoon();
      else startWhenDue();
      if (refused.length === 0) return;
      const what = `${refused.length} of ${given.length} events were not appended`;
      report(new EventQueryError(`${what}; the first reason: ${refused[0]!.reason}`, 0), refused);
    },
    flush,
    close: () => (closed ??= end()),
  };
}

function checkSender(options: SenderOptions): void {
  checkOptions('createSender', options, { optional: ['secretKey', 'getToken', 'onError'], ranges: RANGES });
  const { secretKey, getToken, onError } = options as { readonly [Name in keyof SenderOptions]: unknown };
  const wrong = (what: string) => new TypeError(`createSender: ${what}`);
  if (secretKey !== undefined && getToken !== undefined) throw wrong('takes secretKey or getToken, not both');
  if (secretKey !== undefined && !(typeof secretKey === 'string' && isHeaderWord(secretKey)))
    throw wrong('secretKey takes a secret key of the tenant');
  if (getToken !== undefined && typeof getToken !== 'function')
    throw wrong('getToken takes a function that gives an access token');
  if (onError !== undefined && typeof onError !== 'function') throw wrong('onError takes a function');
}
