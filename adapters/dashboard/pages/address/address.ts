/** The place that an address names. */
export interface PageLocation {
  readonly page: string;
  /** The tenant's alias; empty if the page belongs to no tenant. */
  readonly alias: string;
  /** Each parameter has one value. */
  readonly parameters: URLSearchParams;
  /** Why nothing of the question was read; undefined if it was. */
  readonly unread?: string;
}

/** Pages that once had another name, under which links to them were kept. */
const RENAMED: ReadonlyMap<string, string> = new Map([['ingestion', 'authentication']]);

/** How many characters an address is read of: some more than the largest question that a server takes. */
export const ADDRESS_LENGTH_MAX = 300_000;

/** Reads the part of an address after `#`: `/PAGE/ALIAS?name=value`. Any text is an address of something. */
export function parseAddress(hash: string): PageLocation {
  const [path = '', query = ''] = hash
    .slice(0, ADDRESS_LENGTH_MAX)
    .replace(/^#/, '')
    .split(/\?(.*)/s);
  const [, page = '', alias = ''] = path.split('/');
  const isTooLong = hash.length > ADDRESS_LENGTH_MAX;
  const parameters = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(isTooLong ? '' : query))
    if (!parameters.has(name)) parameters.set(name, value);
  return {
    page: RENAMED.get(page) ?? (page || 'explore'),
    alias: safeDecode(alias).toWellFormed(),
    parameters,
    ...(isTooLong ? { unread: 'This link is too long.' } : {}),
  };
}

/** Decodes a part of an address; the part itself if it is malformed. */
export function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The address of a place. */
export function linkTo(page: string, alias = '', parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(parameters).toString();
  return `#/${page}${alias === '' ? '' : `/${encodeURIComponent(alias)}`}${query === '' ? '' : `?${query}`}`;
}

/** The parameters with which the question of a saved view is still the same. */
const OF_SAME_VIEW = ['view', 'cursor', 'at', 'every', 'zone'];

/**
 * The address of a place with some parameters changed; an empty value removes one. The name of a saved view
 * goes with its question.
 */
export function addressWith(
  { page, alias, parameters }: PageLocation,
  changes: Readonly<Record<string, string>>,
): string {
  const next = new URLSearchParams(parameters);
  for (const [name, value] of Object.entries(changes)) {
    if (value !== (next.get(name) ?? '') && !OF_SAME_VIEW.includes(name)) next.delete('view');
    if (value === '') next.delete(name);
    else next.set(name, value);
  }
  return linkTo(page, alias, Object.fromEntries(next));
}
