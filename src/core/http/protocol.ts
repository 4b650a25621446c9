import type { ApiError } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { IngestReport } from '../engine/intake.ts';
import type { Batch } from './batch.ts';
import type { HttpResponse } from './message.ts';
import type { RoutedRequest } from './operation.ts';
import type { BatchText, BatchType } from './request.ts';

/** How SDKs of one kind send events: their routes. `createApi` serves those that it is given. */
export interface Protocol {
  /** Its part of addresses: small letters, digits and dashes. Its routes lie below `/v1/NAME/{tenantId}`. */
  readonly name: string;
  /** Its routes. Of several that fit a path, the first one is taken. */
  readonly routes: readonly ProtocolRoute[];
  /** Schemas for the OpenAPI document, by names that no other schema has. */
  readonly schemas?: Readonly<Record<string, JsonSchema>>;
}

/** A route of a protocol. Whoever the tenant's strategy lets send events may ask it. */
export interface ProtocolRoute {
  /** Its name among all routes, which the access log writes as `operation`. */
  readonly name: string;
  /** The methods that it takes: `GET`, `POST`. */
  readonly methods: readonly string[];
  /** Its path below that of the tenant. At most one part of it is a parameter, such as `/v1/{call}`. */
  readonly path: string;
  /** The values that the parameter takes; absent for any. */
  readonly values?: readonly string[];
  /**
   * How the events of a request are written, which are then stored. For a route that stores none, the answer
   * to every sender that knows the tenant: it must hold nothing of the tenant.
   */
  readonly takes: WireFormat | ((request: RoutedRequest) => HttpResponse);
  /** What the OpenAPI document says of it. */
  readonly described: DescribedRoute;
}

/** A JSON Schema, or another part of the OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What the OpenAPI document says of a route, besides its path and who may ask it. */
export interface DescribedRoute {
  /** What it does, in a few words. */
  readonly summary: string;
  /** The schema of the answer; by media type where the answer is not JSON. */
  readonly answer: JsonSchema | { readonly byType: JsonSchema };
  /** The request body, as OpenAPI describes it; absent for none. */
  readonly requestBody?: JsonSchema;
  /** Headers that a caller may send besides the key. */
  readonly headers?: readonly string[];
  /** Parameters that the query string may have. */
  readonly queryParameters?: readonly string[];
}

/**
 * How events are written in a request, and how its sender is answered: what differs between this API's own
 * format and those of SDKs of others. `receive` of `http/api/ingestion.ts` asks each member in the order in
 * which they stand here, at most once for a request.
 */
export interface WireFormat<B extends Batch = Batch> {
  /**
   * The secret key in a header or the address, where the protocol has a place of its own for it; absent, or
   * undefined, for none. `X-API-Key` and `Authorization: Chase` are read as well. It is asked before anything
   * of the body is read, and only where there is no `Authorization: Bearer`. A tenant with the strategy
   * `NONE` lets everybody in, whatever key this is, and one with `JWT` nobody.
   */
  readonly secretOf?: (request: RoutedRequest) => string | undefined;
  /**
   * The content types of a body, and their formats. It is asked before the body is read: any other type is a
   * 415. A GET has no body; its query string stands for one, as JSON.
   */
  readonly types: Readonly<Record<string, BatchType>>;
  /**
   * How many bytes of memory `unwrap` takes beside the body; absent for none. They are reserved until the
   * answer.
   */
  readonly bytesBeside?: (body: BatchText, request: RoutedRequest) => number;
  /**
   * Takes the JSON out of a body that wraps it, as a form or as Base64; absent where none does. It is asked
   * once, in turns of the owner of the body, and those below get its result. Throws ApiError: 400, 413.
   */
  readonly unwrap?: (body: BatchText, request: RoutedRequest, pacer: Pacer) => Promise<BatchText>;
  /**
   * Finds the secret key in a body, without parsing all of it; absent where the protocol has none there. It
   * is asked only if the tenant has the strategy `SERVER_SIDE` and no header or address has a key. The sender
   * is still unknown then, so the body is at most 1 MiB, and its memory and this work count for the network
   * of the client. Throws ApiError (400) where the body cannot be read.
   */
  readonly secretIn?: (body: BatchText, request: RoutedRequest, pacer: Pacer) => Promise<string | undefined>;
  /**
   * Finds the events in a body, in turns of the tenant. The sender is known. The events are parsed later, one
   * by one, and one that cannot be read or mapped comes as an ApiError, which the report names. Throws
   * ApiError (400, 413) where the whole cannot be read; nothing of it is stored then.
   */
  readonly find: (body: BatchText, request: RoutedRequest, tools: FindingTools) => Promise<B>;
  /** Writes the answer after an event was stored, now or before; absent for the report as JSON. */
  answer?(report: IngestReport, request: RoutedRequest, batch: B): HttpResponse;
  /**
   * The status of a refusal below 500; absent for the error's own. It is for SDKs that drop events at a
   * status by which their sender is asked to wait. The log and the headers keep to the error.
   */
  statusOf?(error: ApiError, request: RoutedRequest): number;
  /**
   * The body of a refusal below 500, as JSON; absent for `{"error": text}`. Headers stay as they are. A fault
   * of the server has the same body for all protocols.
   */
  refusal?(error: ApiError, request: RoutedRequest, refused: Refused<B>): object;
}

/** What events are found with. */
export interface FindingTools {
  /** Yields to others now and then, since a body may be large. */
  readonly pacer: Pacer;
  /** The clock, and the hash that ids are made with. */
  readonly runtime: Pick<Runtime, 'now' | 'sha256'>;
}

/** What is known of a request that is refused. */
export interface Refused<B extends Batch = Batch> {
  /** The events that were found in it. */
  readonly batch?: B;
  /** Why each of them is refused, where none was accepted. */
  readonly report?: IngestReport;
}
