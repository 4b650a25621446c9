/** The last answer, the question to which it belongs, and what went wrong since. */
export interface AnswerState<T> {
  readonly value: T | undefined;
  readonly error: string | undefined;
  readonly question: object | undefined;
  /** The subject of the question. Repeating the request does not change it. */
  readonly subject: object | undefined;
  /** The instant of which the value is; undefined without one. */
  readonly asOf: number | undefined;
  /** Why the value could not be refreshed, so that it is still of its own instant; undefined if it was. */
  readonly lapse: string | undefined;
  /** The number of recoveries when the server could not be reached; undefined if it answered. */
  readonly lostAt: number | undefined;
}

/** The state before any answer. */
export const NOTHING: AnswerState<never> = {
  ...{ value: undefined, error: undefined, question: undefined, subject: undefined },
  ...{ asOf: undefined, lapse: undefined, lostAt: undefined },
};

/** A question that has failed. */
interface Failed {
  readonly error: string;
  /** Whether the same question may well be answered later: the server did not refuse it. */
  readonly isPassing: boolean;
  readonly lostAt: number | undefined;
  readonly question: object;
  readonly subject: object;
}

/**
 * The state after a question has failed. What is known of the same subject stays, since it is still true of
 * its own instant; an answer to another question does not.
 */
export function afterFailure<T>(
  before: AnswerState<T>,
  { error, isPassing, lostAt, question, subject }: Failed,
): AnswerState<T> {
  const isKept = isPassing && before.value !== undefined && before.subject === subject;
  if (isKept) return { ...before, error: undefined, lapse: error, lostAt, question };
  return { ...NOTHING, error, lostAt, question, subject };
}
