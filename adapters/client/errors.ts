/** A server's refusal, or what kept it from answering. */
export class EventQueryError extends Error {
  override readonly name = 'EventQueryError';
  /** The status of the answer; 0 where none came. */
  readonly status: number;
  /** Seconds after which the server asks to be asked again, where it said so. */
  readonly retryAfterSeconds: number | undefined;
  /** The id under which the server's log speaks of the request, where there is one. */
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

/** The error of an answer that is no success: its own text, or what stands between the server and here. */
export async function toError(answer: Response): Promise<EventQueryError> {
  const { status, headers } = answer;
  const text = await answer.text().catch(() => '');
  return new EventQueryError(textOf(text) ?? `The server answered ${status}`, status, { headers });
}

function textOf(body: string): string | undefined {
  try {
    const { error } = JSON.parse(body) as { error?: unknown };
    return typeof error === 'string' ? error : undefined;
  } catch {
    return undefined;
  }
}
