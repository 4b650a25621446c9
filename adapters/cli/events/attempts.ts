import { answerText } from './answer-text.ts';
import { fetchWithoutRedirects, isRedirect, ServerError, whyUnreachable } from './remote-errors.ts';
import type { Storing } from './appender.ts';

/** With the pauses between them, about ten seconds: a server that restarts is back by then. */
const FAILURES_MAX = 6;

/** A report names each refused event of a batch, with its reason. */
const REPORT_BYTES_MAX = 4_194_304;

/** How many events a server has stored, by its own reports. */
interface Stored {
  accepted: number;
  duplicates: number;
}

/** Watches the requests of a sender, which retries by itself and reports only what it has given up. */
export interface Attempts {
  readonly fetch: typeof globalThis.fetch;
  /** Aborted when the server has failed too often in a row; the reason says how. */
  readonly given: AbortSignal;
  /** Begins a batch. The result counts what is stored of it. */
  begin(storing: Storing): Stored;
}

/** Makes the watch over the requests to a server. It tells the user of the first failure and of each wait. */
export function createAttempts(url: string): Attempts {
  const giving = new AbortController();
  let failures = 0;
  let batch: { readonly storing: Storing; readonly stored: Stored } | undefined;

  function fail(reason: string, isFinal = false): void {
    const isOver = giving.signal.aborted || batch?.storing.ending.aborted === true;
    if (isOver) return;
    failures += 1;
    if (isFinal || failures >= FAILURES_MAX) giving.abort(new ServerError(reason));
    else if (failures === 1) batch?.storing.say(`${reason}; trying again`);
  }

  /** Notes how a request went. Resolves to the same answer, whose body may have been read. */
  async function note(answer: Response): Promise<Response> {
    if (answer.status === 429) {
      const seconds = answer.headers.get('retry-after') ?? 'a few';
      batch?.storing.say(`${url}: the limit of events is used up; continuing in ${seconds} s`);
    } else if (answer.status >= 500 || answer.status === 408) {
      fail(`${url} answers with status ${answer.status}`);
    } else if (answer.ok) {
      const text = (await answerText(answer.body, REPORT_BYTES_MAX)) ?? '';
      noteStored(storedBy(text));
      return new Response(text, { status: answer.status, headers: answer.headers });
    }
    return answer;
  }

  function noteStored({ accepted, duplicates }: Partial<Stored>): void {
    if (!Number.isInteger(accepted) || !Number.isInteger(duplicates))
      return fail(`what answers at ${url} is not event-query`, true);
    failures = 0;
    if (batch === undefined) return;
    batch.stored.accepted += accepted!;
    batch.stored.duplicates += duplicates!;
  }

  return {
    given: giving.signal,
    begin(storing) {
      const stored = { accepted: 0, duplicates: 0 };
      batch = { storing, stored };
      return stored;
    },
    async fetch(input, init) {
      try {
        return await note(await fetchWithoutRedirects(input, init));
      } catch (error) {
        const isLate = error instanceof Error && error.name === 'AbortError';
        fail(isLate ? `${url} has not answered in time` : whyUnreachable(url, error), isRedirect(error));
        throw error;
      }
    },
  };
}

/** The report of an answer; empty for what something else than this API has answered. */
function storedBy(text: string): Partial<Stored> {
  try {
    return Object(JSON.parse(text)) as Partial<Stored>;
  } catch {
    return {};
  }
}
