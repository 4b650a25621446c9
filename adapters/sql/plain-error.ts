/** How much of a driver's message is told: what comes behind may be a statement with its values. */
const LENGTH_MAX = 300;
/** Where the message of an engine goes on with the statement. */
const STATEMENT = /\n|[.:,]? (?:in scope|while processing|while executing) /i;

/** What of an error is a code, as drivers give one. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * A driver's error as the log may have it: its name, its code and the beginning of its message. Details of
 * drivers quote rows of other people's events.
 */
export function toPlainError(error: unknown): Error {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = codeOf(error);
  const said = message.split(STATEMENT)[0]!;
  const plain = new Error(said === '' ? code : said.slice(0, LENGTH_MAX));
  plain.name = name;
  return code === '' ? plain : Object.assign(plain, { code });
}
