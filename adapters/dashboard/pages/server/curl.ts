/** A word of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const said = document.querySelector<HTMLMetaElement>('meta[name=api]')?.content ?? '';

/** Where the API answers: here, unless the dashboard has a port of its own and its page says another. */
export const API = said === '' ? location.origin : said;

/** A command that sends JSON to this server, with a header that says who asks. */
export function toCurl(path: string, proof: string | undefined, body: unknown): string {
  const headers = [proof, 'Content-Type: application/json'].filter((header) => header !== undefined);
  return [
    `curl -s ${quoted(API + path)}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}
