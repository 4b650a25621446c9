/** How much of a driver's message is kept: the rest may be a statement with its values. */
const LENGTH_MAX = 300;
/** Where an engine's message continues with the statement. */
const STATEMENT = /\n|[.:,]? (?:in scope|while processing|while executing) /i;

/** The code of an error, as drivers set it. */
export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * A driver's error in a form that may be logged: its name, its code and the start of its message. The details
 * of drivers quote rows, which are other people's events.
 */
export function toPlainError(error: unknown): Error {
  const { name, message } = error instanceof Error ? error : new Error(String(error));
  const code = codeOf(error);
  const said = message.split(STATEMENT)[0]!;
  const plain = new Error(said === '' ? code : said.slice(0, LENGTH_MAX));
  plain.name = name;
  return code === '' ? plain : Object.assign(plain, { code });
}
