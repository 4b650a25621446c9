import type { Resources } from '../bounds/resources.ts';
import type { Signal } from '../base/signal.ts';

/** A request as plain data. */
export interface HttpRequest {
  /** In capitals. */
  readonly method: string;
  /** The target as it came: path and query string, still percent-encoded. */
  readonly target: string;
  /** One header by its lower-case name. */
  header(name: string): string | undefined;
  /** The client's address, or that of the proxy before it; absent where the transport does not know it. */
  readonly address?: string;
  /** Aborted as soon as the client has gone, so that nobody goes on working for it. */
  readonly signal: Signal;
  /**
   * Tells the transport which tenant the request is for, as soon as somebody has judged that: what it costs
   * from here on is the tenant's, and no longer its address's.
   */
  readonly admit?: (tenantId: string) => void;
  /** Whether the server ends, so that an answer that waits for events to come waits no longer. */
  readonly isClosing?: () => boolean;
  /**
   * Reads the whole body as text, decompressed as `Content-Encoding` says (`gzip` or `identity`). Throws
   * ApiError: `bodyTooLarge` past `bytesMax` (of the wire or of the text), `unsupportedMediaType` for another
   * encoding, `unreadableBody` for broken gzip, a body that stops half way, or text that is not UTF-8.
   * Its memory and its place are those of `tenantId`, once the tenant is known.
   */
  text(bytesMax: number, tenantId?: string): Promise<string>;
}

/** An answer as plain data. */
export interface HttpResponse {
  /** The status code of HTTP, such as 200. */
  readonly status: number;
  /** Each with its value; one that stands several times, as that of cookies does, with all of them. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  /**
   * Empty for none. A body in pieces is written as fast as the client takes it, and its first piece is asked
   * for before the status leaves. Where a later piece fails, the connection ends without the end of the body.
   */
  readonly body: string | AsyncIterable<string>;
}

/** The whole API as one function. It never rejects: what goes wrong is an answer. */
export type HttpHandler = (request: HttpRequest) => Promise<HttpResponse>;

/** What a transport serves: the API, or another handler that has the same resources. */
export interface ServedApi {
  /** Answers requests. */
  readonly handler: HttpHandler;
  /** Where the transport books bodies and answers, and whose scheduler begins requests. */
  readonly resources: Resources;
}
