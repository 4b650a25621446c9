import type { Logger, Runtime } from '../base/runtime.ts';
import type { FinishedRequest } from './finished.ts';
import type { Call } from './operation.ts';
import { toShape } from './question-shape.ts';
import { isHealth } from './target.ts';

/** Which requests leave a line in the log, and what it says. */
export interface AccessLogOptions {
  /** The share of the requests answered with 2xx that are logged, 0 to 1. All others are. Default 1. */
  readonly sample?: number | undefined;
  /** Whether a line has the address of the client. Default false. */
  readonly addresses?: boolean | undefined;
}

/** What is logged of requests. */
export interface RequestLogOptions {
  /** Whether each request leaves a line in the log, or which do and how. */
  readonly accessLog: boolean | AccessLogOptions;
  /** From how many milliseconds on an answer to a question leaves a warning. Absent: none does. */
  readonly slowMs?: number | undefined;
}

/** Logs a request that is over. */
type LogRequest = (finished: FinishedRequest, call: Pick<Call, 'request' | 'notes'>) => void;

/** How long these last is up to their clients: a tail waits for events, and an export for its reader. */
const LASTING: readonly string[] = ['tail', 'export'];

const RANDOM_MAX = 2 ** 32;

/** Makes the log of requests; undefined where nothing of them is logged. */
export function createRequestLog(
  { accessLog, slowMs = Infinity }: RequestLogOptions,
  { log, runtime }: { readonly log: Logger; readonly runtime: Pick<Runtime, 'randomBytes'> },
): LogRequest | undefined {
  if (accessLog === false && slowMs === Infinity) return undefined;
  const { sample = 1, addresses = false } = accessLog === true || accessLog === false ? {} : accessLog;
  const noteSlow = (fields: Parameters<Logger['info']>[0]) => {
    const text = 'slow question';
    // The log of a program may know two levels only.
    if (log.warn === undefined) log.info(fields, text);
    else log.warn(fields, text);
  };

  /** Whether a line is left out by chance. */
  function isSkipped({ status }: FinishedRequest): boolean {
    if (sample >= 1 || status < 200 || status >= 300) return false;
    return runtime.randomBytes(4).reduce((sum, byte) => sum * 256 + byte, 0) >= sample * RANDOM_MAX;
  }

  return (finished, { request, notes }) => {
    const { requestId, traceId, operation, tenant, status, durationMs, waitedMs, rows } = finished;
    if (durationMs >= slowMs && notes.asked !== undefined && !LASTING.includes(operation)) {
      const about = { requestId, traceId, operation, tenant, status, durationMs, waitedMs, rows };
      noteSlow({ ...about, ...toShape(notes.asked) });
    }
    if (accessLog === false || (isHealth(request) && status < 400) || isSkipped(finished)) return;
    const address = addresses ? { address: request.address } : {};
    log.info({ ...finished, ...address, ...(sample < 1 && status < 300 && { sample }) }, 'request');
  };
}
