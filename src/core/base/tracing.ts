/** A request as it begins, for a tracer. */
export interface RequestBeginning {
  /** The request itself. The headers say whether it belongs to a trace of its client. */
  readonly request: {
    readonly method: string;
    header(name: string): string | undefined;
    readonly address?: string;
    readonly scheme?: 'http' | 'https';
    readonly protocolVersion?: string;
  };
  /** The id of the answer's `X-Request-Id`. */
  readonly requestId: string;
  /** The path of the route, such as `/v1/events/{tenantId}/multi`; undefined where no route has the path. */
  readonly route: string | undefined;
  /** The name of the route; undefined where no route has the path. */
  readonly operation: string | undefined;
  /** The query string without its question mark; empty for none. It may hold secrets. */
  readonly queryString: string;
}

/** How a request ended, for a tracer. */
export interface RequestEnd {
  /** 499 where the client disconnected before the answer began. */
  readonly status: number;
  /** The code of the refusal; `aborted` where the client did not wait for the end of the answer. */
  readonly error: string | undefined;
  /** The events, names, properties or groups in the answer; undefined for an answer of another kind. */
  readonly rows: number | undefined;
  /** How many events of a batch were new; undefined for other requests. */
  readonly accepted: number | undefined;
  /** How many events of a batch were stored before. */
  readonly duplicates: number | undefined;
  /** How many events of a batch were refused. */
  readonly rejected: number | undefined;
}

/** What a tracer records of one request. */
export interface RequestSpan {
  /** The id of the trace, if it is recorded. */
  readonly traceId: string | undefined;
  /** Does work whose parts belong to the request. */
  within<T>(work: () => T): T;
  /** Takes note of the end of the request. Call it once. */
  end(how: RequestEnd): void;
}

/** Work that the store does for a request. None of its fields holds what a client has sent. */
export interface TracedPart {
  /** What is done: a question is answered, a batch is stored until it is durable, or events are erased. */
  readonly name: 'question' | 'append' | 'erase';
  /** Of a question: what is asked, such as `count`. */
  readonly operation?: string;
  /** Of a batch: how many events are stored. */
  readonly events?: number;
}

/**
 * Where the parts of a process report which work belongs together. A process in which nothing is traced has
 * none, so that nothing is paid for it.
 */
export interface Tracer {
  /** Begins the record of a request. */
  begin(beginning: RequestBeginning): RequestSpan;
  /** Does a part of the request within which it is called. Outside of requests it only does the work. */
  part<T>(part: TracedPart, work: () => Promise<T>): Promise<T>;
  /** Binds a function to the request within which this is called, wherever the function is called later. */
  bind<A extends readonly unknown[], R>(work: (...values: A) => R): (...values: A) => R;
}

/** Makes each piece of an answer within the record of its request: a piece is made when it is asked for. */
export function piecesWithin(span: RequestSpan, pieces: AsyncIterable<string>): AsyncIterable<string> {
  return {
    [Symbol.asyncIterator]() {
      const source = span.within(() => pieces[Symbol.asyncIterator]());
      return {
        next: () => span.within(() => source.next()),
        return: () =>
          span.within(() => source.return?.() ?? Promise.resolve({ done: true, value: undefined })),
      };
    },
  };
}
