/** The page that opens after a sign-in without a return path. */
const DASHBOARD = '/dashboard';
const RETURN_PATTERN = /^\/dashboard(?:#[!-~]*)?$/;
/** A cookie stores each login, and several of them have to fit into the request headers. */
const RETURN_LENGTH_MAX = 1_000;

/**
 * The page of the dashboard to open after a sign-in: its one path and the part after `#`. Any other value
 * gives the dashboard's first page, since a forged link could lead a person to another site.
 */
export function toReturnPath(asked: unknown): string {
  const isPlace =
    typeof asked === 'string' && asked.length <= RETURN_LENGTH_MAX && RETURN_PATTERN.test(asked);
  return isPlace ? asked : DASHBOARD;
}
