import type { EventInput } from '../../src/index.ts';
import type { BatchAnswer, Delivery } from './delivery.ts';
import { EventQueryError } from './errors.ts';
import { isPage, LEAVING_BYTES_MAX } from './page.ts';
import { bodyOf, eventOf, sizeOf, type Queue, type QueuedEvent } from './queue.ts';
import { sleep } from './requests.ts';

/** An event that a sender has given up. */
export interface Undelivered {
  /**
   * The event with its `eventTs` and `insertId`. After a lost answer it may be stored all the same; appended
   * again, it is stored once.
   */
  readonly event: EventInput;
  /** Why it is not stored. */
  readonly reason: string;
}

/** What a sending needs of its sender. */
export interface SendingOptions {
  readonly queue: Queue;
  readonly delivery: Delivery;
  readonly batchMax: number;
  readonly batchBytesMax: number;
  /** Whether a server that refuses the credentials may accept the next ones. */
  readonly hasTokens: boolean;
  /** Aborted when nothing more may be sent. Its reason is reported for what is left. */
  readonly ended: AbortSignal;
  /** Whether what waits is to be sent now. */
  isDue(): boolean;
  /** Called when the first events have left the queue, before those that are given up are reported. */
  onSettled(count: number): void;
  readonly report: (error: EventQueryError, undelivered: readonly Undelivered[]) => void;
}

/** Sends what waits in a queue, one request at a time, and retries. */
export interface Sending {
  /**
   * Sends what waits, until the rest is not due. The first request is on its way when this returns, unless
   * there are tokens. Do not call it again before it resolves.
   */
  send(): Promise<void>;
  /**
   * Sends copies of what waits from a page that is left, as much as the browser takes. The first `copied`
   * events of the queue were sent so before. Returns how many are now. `onLost` is called if these copies
   * were not stored.
   */
  leave(copied: number, onLost: () => void): number;
}

/** The pause before the first retry, and the longest; `Retry-After` is added. */
const PAUSE_MS = 500;
const PAUSE_MS_MAX = 30_000;
const RETRY_AFTER_SECONDS_MAX = 86_400;

/** A server that answers with 500 so often in a row has an error that these events cause. */
const SERVER_ERRORS_MAX = 5;

/** Makes the sending of a queue. */
export function createSending(options: SendingOptions): Sending {
  const { queue, delivery, batchMax, ended, report } = options;
  let { batchBytesMax } = options;
  /** How many of the first events are in a request that outlives the page. */
  let outliving = 0;
  /** The bytes of copies that are on their way: a browser bounds them together. */
  let copying = 0;
  let failures = 0;
  let serverErrors = 0;
  let refresh = false;

  function settle(count: number): void {
    queue.drop(count);
    outliving = 0;
    failures = 0;
    serverErrors = 0;
    refresh = false;
    options.onSettled(count);
  }

  function giveUp(batch: readonly QueuedEvent[], error: EventQueryError): void {
    settle(batch.length);
    report(
      error,
      batch.map((each) => ({ event: eventOf(each), reason: error.message })),
    );
  }

  function accept(batch: readonly QueuedEvent[], { rejected, headers }: BatchAnswer): void {
    settle(batch.length);
    const undelivered = rejected.flatMap(({ index, error }) => {
      const refused = batch[index];
      return refused === undefined ? [] : [{ event: eventOf(refused), reason: error }];
    });
    if (undelivered.length === 0) return;
    const what = `${undelivered.length} of ${batch.length} events were rejected`;
    const error = `${what}; the first reason: ${undelivered[0]!.reason}`;
    report(new EventQueryError(error, 200, { headers }), undelivered);
  }

  /** Does what follows from a failed request, and resolves when the next one may be sent. */
  async function recover(batch: readonly QueuedEvent[], error: EventQueryError): Promise<void> {
    const { status } = error;
    if (status === 413 && batch.length > 1) {
      // The server's limit is fixed, so later batches stay this small.
      batchBytesMax = Math.ceil(sizeOf(batch) / 2);
      return;
    }
    if (status === 401 && options.hasTokens && !refresh) {
      refresh = true;
      return;
    }
    failures += 1;
    // A server that starts again may refuse connections for long, and then fail once.
    serverErrors = status === 500 ? serverErrors + 1 : 0;
    const isRefused = status >= 300 && status < 500 && status !== 408 && status !== 429;
    if (isRefused || serverErrors >= SERVER_ERRORS_MAX) return giveUp(batch, error);
    await sleep(pauseOf(error, failures), ended).catch(() => undefined);
  }

  /** Sends one request; true if the server has stored its events. */
  async function sendBatch(): Promise<boolean> {
    const batch = queue.batch(batchMax, batchBytesMax);
    // A browser refuses such a request while others use up the room for them, so a retry does without.
    const keepalive = isPage() && failures === 0 && sizeOf(batch) <= LEAVING_BYTES_MAX;
    outliving = keepalive ? batch.length : 0;
    try {
      accept(batch, await delivery.deliver(bodyOf(batch), { refresh, keepalive, signal: ended }));
      return true;
    } catch (error) {
      outliving = 0;
      await recover(batch, error as EventQueryError);
      // What was refused has left the queue already.
      if (ended.aborted && queue.length > 0)
        giveUp(queue.batch(Infinity, Infinity), endedBy(error as EventQueryError));
      return false;
    }
  }

  return {
    async send() {
      for (let isStored = false; queue.length > 0 && (!isStored || options.isDue());) {
        isStored = await sendBatch();
      }
    },
    leave(copied, onLost) {
      const sent = queue.batch(outliving, Infinity);
      const room = LEAVING_BYTES_MAX - sizeOf(sent) - copying;
      const from = Math.max(outliving, copied);
      const copies = queue.batch(batchMax, room, from);
      if (copies.length === 0 || sizeOf(copies) > room) return from;
      const stored = delivery.leave(bodyOf(copies));
      if (stored === undefined) return from;
      const bytes = sizeOf(copies);
      copying += bytes;
      void stored.then((isStored) => {
        copying -= bytes;
        if (!isStored) onLost();
      });
      return from + copies.length;
    },
  };

  function endedBy(last: EventQueryError): EventQueryError {
    const reason = ended.reason instanceof Error ? ended.reason.message : 'the sender has ended';
    return new EventQueryError(`${reason}: ${last.message}`, last.status, { cause: last });
  }
}

/** How long to wait after so many failures in a row. Chance keeps many senders from coming back at once. */
function pauseOf({ retryAfterSeconds = 0 }: EventQueryError, failures: number): number {
  const pauseMs = Math.min(PAUSE_MS_MAX, PAUSE_MS * 2 ** Math.min(failures - 1, 10));
  const told = Math.min(Math.max(retryAfterSeconds, 0), RETRY_AFTER_SECONDS_MAX) * 1000;
  return told + pauseMs * (0.5 + Math.random() / 2);
}
