import { describeTlsFault, excerpt } from '../../src/store-kit.ts';
import { readText } from './body.ts';

/** An error answer of a server is short; the text of a longer one is not read to its end. */
const ERROR_BYTES_MAX = 65_536;

/** An error answer of the server, or the reason why there was no answer. */
export class EventQueryError extends Error {
  override readonly name = 'EventQueryError';
  /** The HTTP status of the answer; 0 when there was none. */
  readonly status: number;
  /** The `Retry-After` of the answer in seconds; undefined when it had none. */
  readonly retryAfterSeconds: number | undefined;
  /** The id of the request in the server's log; undefined when the answer had none. */
  readonly requestId: string | undefined;

  constructor(
    message: string,
    status: number,
    { headers, cause }: { readonly headers?: Headers; readonly cause?: unknown } = {},
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.status = status;
    const seconds = Number(headers?.get('retry-after') ?? NaN);
    this.retryAfterSeconds = Number.isFinite(seconds) ? seconds : undefined;
    this.requestId = headers?.get('x-request-id') ?? undefined;
  }
}

/** Makes an error from a failed answer: with the server's own text, or a general one, as from a proxy. */
export async function toError(answer: Response): Promise<EventQueryError> {
  const { status, headers } = answer;
  const text = (await readText(answer, ERROR_BYTES_MAX).catch(() => undefined)) ?? '';
  const message = textOf(text) ?? inGeneral(answer);
  // A browser does not say which redirect it was, but there was an answer.
  return new EventQueryError(message, answer.type === 'opaqueredirect' ? 302 : status, { headers });
}

function inGeneral({ status, headers, type }: Response): string {
  // A browser does not say where a redirect leads.
  const place = type === 'opaqueredirect' ? 'another address' : headers.get('location');
  if (place === null) return `The server answered ${status}`;
  return `The server redirects to ${excerpt(place)}, which gets nothing; name it as url if you trust it`;
}

/** Makes the error of a request without an answer; `waitedMs` is how long a server was waited for in vain. */
export function toUnanswered(cause: unknown, origin: string, waitedMs: number | undefined): EventQueryError {
  const why = waitedMs === undefined ? 'the server cannot be reached' : `no answer within ${waitedMs} ms`;
  const fault = waitedMs === undefined ? describeTlsFault((cause as Error | undefined)?.cause) : undefined;
  return new EventQueryError(`${why}: ${origin}${fault === undefined ? '' : `: ${fault}`}`, 0, { cause });
}

function textOf(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? excerpt(error) : undefined;
  } catch {
    return undefined;
  }
}
