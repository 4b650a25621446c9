import { BASE } from './base.ts';

/** A text quoted as one word of a POSIX shell. */
export const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

const said = document.querySelector<HTMLMetaElement>('meta[name=api]')?.content ?? '';

/**
 * The base URL of the API: that of the pages, unless the page names another because the dashboard has its own
 * port.
 */
export const API = said === '' ? BASE : said;

/** A curl command that sends JSON to this server, with `proof` as the header of the credential. */
export function toCurl(path: string, proof: string | undefined, body: unknown): string {
  const headers = [proof, 'Content-Type: application/json'].filter((header) => header !== undefined);
  return [
    `curl -s ${quoted(API + path)}`,
    ...headers.map((header) => `-H ${quoted(header)}`),
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');
}
