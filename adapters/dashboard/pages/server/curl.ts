/** A word of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** A command that sends JSON to this server, with a header that says who asks. */
export function toCurl(path: string, proof: string | undefined, body: unknown): string {
  const headers = [proof, 'Content-Type: application/json'].filter((header) => header !== undefined);
  return [
    `curl -s ${quoted(location.origin + path)}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}
