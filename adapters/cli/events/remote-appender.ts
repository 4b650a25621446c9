import { isApiError, type ApiError, type EventInput, type IngestReport } from '../../../src/index.ts';
import { parseEvent } from '../../../src/internal.ts';
import { createSender, type EventQueryError, type Undelivered } from '../../client/index.ts';
import { createAttempts } from './attempts.ts';
import { named, type Server } from './remote-errors.ts';
import type { AppenderOptions, EventAppender, Storing } from './appender.ts';

/** A server, and what a command shows it when it sends events. */
export interface SendingServer extends Server {
  /** The secret of an API key, for tenants that take events from servers. */
  readonly secretKey?: string;
  /** An access token, for tenants that take events from signed-in users. */
  readonly token?: string;
}

const BATCH_BYTES_MAX = 2 ** 20;
const BATCH_EVENTS_MAX = 2000;

/** How long a request may still take when the user has asked the command to end. */
const ENDING_MS = 2_000;

/** What is known so far of the batch that is being sent. */
interface SentBatch {
  readonly rejected: { index: number; error: string }[];
  /** Where each event stands in the batch, by its identity. */
  readonly places: Map<string, number[]>;
  /** The refusal that concerns more than single events, if there was one. */
  problem?: EventQueryError;
}

/** Sends the events of a tenant over HTTP, and retries. Every error is one line that says what to do. */
export function openRemoteAppender(
  server: SendingServer,
  alias: string,
  { dryRun = false }: AppenderOptions = {},
): EventAppender & { close(): Promise<void> } {
  const { url, secretKey, token } = server;
  const attempts = createAttempts(url);
  let current = newBatch();
  // The sender gives addresses as texts.
  const send: typeof fetch = (address, init) =>
    attempts.fetch(dryRun ? `${address as string}?dryRun=true` : address, init);
  const sender = createSender({
    ...{ url, tenant: alias, fetch: send },
    ...(secretKey === undefined ? {} : { secretKey }),
    ...(token === undefined ? {} : { getToken: () => token }),
    ...{ batchMax: BATCH_EVENTS_MAX, batchBytesMax: BATCH_BYTES_MAX, closeMs: 0 },
    onError(error, undelivered) {
      // A refused request is one of events if its server has read them: then each of them was refused.
      if (error.status === 200 || error.status === 400) reject(current, undelivered);
      else current.problem ??= error;
    },
  });
  return {
    async append(given, storing): Promise<IngestReport> {
      current = newBatch();
      const stored = attempts.begin(storing);
      const events = given.flatMap((event, index) => {
        const checked = check(event);
        if (isApiError(checked)) current.rejected.push({ index, error: checked.message });
        else place(current, checked, index);
        return isApiError(checked) ? [] : [checked];
      });
      sender.append(events);
      try {
        await sender.flush({ signal: endOf(storing, attempts.given) });
      } catch (error) {
        named(server, error, 'sending');
      }
      if (current.problem !== undefined) named(server, current.problem, 'sending');
      return { ...stored, rejected: current.rejected.sort((a, b) => a.index - b.index) };
    },
    close: () => sender.close(),
  };
}

const newBatch = (): SentBatch => ({ rejected: [], places: new Map() });

/** A server and this machine may have different clocks, so the server alone says what is too far ahead. */
const SOURCE = { now: () => Number.MAX_SAFE_INTEGER, newInsertId: () => '' };

/** The event, or why no server takes it: a server would say nothing of single events if it took none. */
function check(event: EventInput | ApiError): EventInput | ApiError {
  if (isApiError(event)) return event;
  try {
    parseEvent(event, SOURCE);
    return event;
  } catch (error) {
    if (isApiError(error)) return error;
    throw error;
  }
}

const identityOf = ({ eventTs, insertId }: EventInput) => JSON.stringify([eventTs, insertId]);

function place({ places }: SentBatch, event: EventInput, index: number): void {
  const identity = identityOf(event);
  places.set(identity, [...(places.get(identity) ?? []), index]);
}

/** Notes which events of the batch were refused, and why. */
function reject({ rejected, places }: SentBatch, undelivered: readonly Undelivered[]): void {
  for (const { event, reason } of undelivered)
    rejected.push({ index: places.get(identityOf(event))?.shift() ?? 0, error: reason });
}

/** Aborted when nothing more is worth waiting for: the server is given up, or the user wants to end. */
function endOf({ ending }: Storing, given: AbortSignal): AbortSignal {
  const soon = new AbortController();
  const end = () => setTimeout(() => soon.abort(ending.reason), ENDING_MS).unref();
  if (ending.aborted) end();
  else ending.addEventListener('abort', end, { once: true });
  return AbortSignal.any([given, soon.signal]);
}
