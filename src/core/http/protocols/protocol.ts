import type { ApiError } from '../../base/errors.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import type { IngestReport } from '../../engine/intake.ts';
import type { Batch } from '../batch.ts';
import type { HttpResponse } from '../message.ts';
import type { Call } from '../operation.ts';
import type { BatchText, BatchType } from '../request.ts';

/**
 * How events are sent: what differs between this API's own protocol and those of SDKs of others. `receive` of
 * `http/api/ingestion.ts` asks each member in the order in which they stand here, at most once for a request.
 */
export interface Protocol<B extends Batch = Batch> {
  /**
   * The secret key in the header or the address; undefined where they hold none. It is asked before anything
   * of the body is read, and only where there is no `Authorization: Bearer`. A tenant with the strategy
   * `NONE` lets everybody in, whatever key this is, and one with `JWT` nobody.
   */
  readonly secretOf: (call: Call) => string | undefined;
  /**
   * The content types of a body, and their formats. It is asked before the body is read: any other type is a
   * 415. A GET has no body; its query string stands for one, as JSON.
   */
  readonly types: Readonly<Record<string, BatchType>>;
  /**
   * How many bytes of memory `unwrap` takes beside the body; absent for none. They are reserved until the
   * answer.
   */
  readonly bytesBeside?: (body: BatchText, call: Call) => number;
  /**
   * Takes the JSON out of a body that wraps it, as a form or as Base64; absent where none does. It is asked
   * once, in turns of the owner of the body, and those below get its result. Throws ApiError: 400, 413.
   */
  readonly unwrap?: (body: BatchText, call: Call, pacer: Pacer) => Promise<BatchText>;
  /**
   * Finds the secret key in a body, without parsing all of it; absent where the protocol has none there. It
   * is asked only if the tenant has the strategy `SERVER_SIDE` and `secretOf` has found nothing. The sender
   * is still unknown then, so the body is at most 1 MiB, and its memory and this work count for the network
   * of the client. Throws ApiError (400) where the body cannot be read.
   */
  readonly secretIn?: (body: BatchText, call: Call, pacer: Pacer) => Promise<string | undefined>;
  /**
   * Finds the events in a body, in turns of the tenant. The sender is known. The events are parsed later, one
   * by one, and one that cannot be read or mapped comes as an ApiError, which the report names. Throws
   * ApiError (400, 413) where the whole cannot be read; nothing of it is stored then.
   */
  readonly find: (body: BatchText, call: Call, pacer: Pacer) => Promise<B>;
  /** Writes the answer after an event was stored, now or before; absent for the report as JSON. */
  readonly answer?: (report: IngestReport, call: Call, batch: B) => HttpResponse;
  /**
   * The status of a refusal below 500; absent for the error's own. It is for SDKs that drop events at a
   * status by which their sender is asked to wait. The log and the headers keep to the error.
   */
  readonly statusOf?: (error: ApiError, call: Call) => number;
  /**
   * The body of a refusal below 500, as JSON; absent for `{"error": text}`. Headers stay as they are. A fault
   * of the server has the same body for all protocols.
   */
  readonly refusal?: (error: ApiError, call: Call, refused: Refused<B>) => object;
}

/** What is known of a request that is refused. */
export interface Refused<B extends Batch = Batch> {
  /** The events that were found in it. */
  readonly batch?: B;
  /** Why each of them is refused, where none was accepted. */
  readonly report?: IngestReport;
}
