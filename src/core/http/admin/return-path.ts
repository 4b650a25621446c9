/** Where who signs in comes to who did not say where. */
const DASHBOARD = '/dashboard';
const RETURN_PATTERN = /^\/dashboard(?:#[!-~]*)?$/;
/** A login is kept in a cookie, and several of them have to fit the head of a request. */
const RETURN_LENGTH_MAX = 1_000;

/**
 * A place of the dashboard to come back to: its one path, and what stands behind the `#`. Whatever else a
 * link asks for would lead who has just signed in to a page of somebody else.
 */
export function toReturnPath(asked: unknown): string {
  const isPlace =
    typeof asked === 'string' && asked.length <= RETURN_LENGTH_MAX && RETURN_PATTERN.test(asked);
  return isPlace ? asked : DASHBOARD;
}
