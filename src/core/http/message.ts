import type { Resources } from '../bounds/resources.ts';
import type { Signal } from '../base/signal.ts';

/** A request as plain data. */
export interface HttpRequest {
  /** The method, in capitals. */
  readonly method: string;
  /** The target as the client sent it: path and query string, still percent-encoded. */
  readonly target: string;
  /** One header by its lower-case name. */
  header(name: string): string | undefined;
  /** The address of the client or of its proxy; absent where the transport does not know it. */
  readonly address?: string;
  /** The scheme by which the request arrived; absent where the transport does not know it. */
  readonly scheme?: 'http' | 'https';
  /** The version of HTTP, such as `1.1`; absent where the transport does not know it. */
  readonly protocolVersion?: string;
  /** The id that a trusted proxy gave the request; absent where the answer gets one of the server. */
  readonly requestId?: string | undefined;
  /** How long the request waited for its first turn, in milliseconds; absent if the transport cannot say. */
  readonly waitedMs?: number | undefined;
  /** The bytes of the body that `text` has read, as they were sent; absent if the transport cannot say. */
  readonly bytesIn?: number | undefined;
  /** Aborted as soon as the client disconnects, so that its work stops. */
  readonly signal: Signal;
  /**
   * Notifies the transport that the request is authorized for this tenant. From here on its cost counts for
   * the tenant, and no longer for its client's network.
   */
  readonly admit?: (tenantId: string) => void;
  /** Whether the server is shutting down, so that answers that wait for events stop waiting. */
  readonly isClosing?: () => boolean;
  /**
   * Reads the whole body as text, decompressed as `Content-Encoding` says (`gzip` or `identity`), or if it
   * begins as gzip does. Throws ApiError: `bodyTooLarge` past `bytesMax` (of the wire or of the text),
   * `unsupportedMediaType` for another encoding, `unreadableBody` for broken gzip, a body that stops half
   * way, or text that is not UTF-8. The body's memory counts for `tenantId`, where it is given.
   */
  text(bytesMax: number, tenantId?: string): Promise<string>;
}

/** An answer as plain data. */
export interface HttpResponse {
  /** The status code of HTTP, such as 200. */
  readonly status: number;
  /** The value of each header; an array for a header that is sent several times, such as `Set-Cookie`. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * The body; empty for none. The transport writes a body in pieces as fast as the client reads it, and asks
   * for the first piece before it sends the status. Where a later piece fails, it closes the connection
   * before the body is complete.
   */
  readonly body: string | AsyncIterable<string>;
  /** Whether each character of a body of one text stands for a byte, as of compressed files; else UTF-8. */
  readonly isBinary?: boolean;
}

/** The whole API as one function. It never rejects: it answers every error. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>;

/** What a transport serves: the API, or another handler that shares its resources. */
export interface ServedApi {
  /** Answers requests. */
  readonly handler: HttpHandler;
  /** The memory budget in which the transport reserves bodies and answers, and the scheduler of requests. */
  readonly resources: Resources;
}
