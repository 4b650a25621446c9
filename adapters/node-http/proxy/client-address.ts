import { toAddress, UNIX_PEER, type IsTrusted } from './trusted.ts';

/** Reads a header of a request by its lower-case name. Repeated headers are joined. */
type ReadHeader = (name: string) => string | undefined;

/**
 * The address of the client that sent a request through trusted proxies. Each proxy adds to the right of a
 * header the address from which it got the request. So the list is read from the right, and only as long as
 * the hop that added an entry is trusted: what stands further left, a client can have written itself.
 *
 * A proxy that adds to one of the two headers passes the other on as the client sent it. So where both exist
 * and disagree, neither is believed, and the request counts for the proxy.
 */
export function clientAddress(peer: string, header: ReadHeader, isTrusted: IsTrusted): string {
  const nearest = peer === UNIX_PEER ? peer : toAddress(peer);
  if (nearest === undefined) return peer;
  const lists = [listOf(header('x-forwarded-for'), splitList), listOf(header('forwarded'), forNodes)];
  const found = lists.flatMap((list) => (list === undefined ? [] : [walk(nearest, list, isTrusted)]));
  const [first = nearest, second = first] = found;
  return first === second ? first : nearest;
}

function listOf(value: string | undefined, read: (value: string) => string[]): string[] | undefined {
  return value === undefined ? undefined : read(value);
}

/** Goes from the nearest hop to the left, up to the first that is not trusted or whose address is unknown. */
function walk(nearest: string, nodes: readonly string[], isTrusted: IsTrusted): string {
  let hop = nearest;
  for (let i = nodes.length - 1; i >= 0 && isTrusted(hop); i -= 1) {
    const address = nodeAddress(nodes[i]!);
    if (address === undefined) break;
    hop = address;
  }
  return hop;
}

function splitList(value: string): string[] {
  return value.split(',').map((node) => node.trim());
}

const BRACKETS_PATTERN = /^\[([^\]]*)\](?::[^:]*)?$/;

/** The address in a node such as `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1` or `[2001:db8::1]:80`. */
function nodeAddress(node: string): string | undefined {
  const bracketed = BRACKETS_PATTERN.exec(node)?.[1];
  if (bracketed !== undefined) return bracketed.includes(':') ? toAddress(bracketed) : undefined;
  const [host, port, ...more] = node.split(':');
  return toAddress(port === undefined || more.length > 0 ? node : host!);
}

/** A `name=value` pair of a `Forwarded` header (RFC 7239). */
const PAIR_PATTERN = /^([!#$%&'*+.^_`|~\w-]+)=("(?:[^"\\]|\\[^])*"|[^",; \t]*)$/;

/**
 * The nodes of the `for` parameters of a `Forwarded` header, one for each element; empty where an element has
 * none or several. Where the header cannot be read to its end, no node is believed: a quote that a client
 * leaves open would hide what a proxy added behind it.
 */
function forNodes(value: string): string[] {
  const nodes: string[] = [];
  for (const element of splitOutsideQuotes(value, ',')) {
    let node: string | undefined;
    for (const pair of splitOutsideQuotes(element, ';').map((text) => text.trim())) {
      if (pair === '') continue;
      const match = PAIR_PATTERN.exec(pair);
      if (match === null) return [];
      const [, name = '', written = ''] = match;
      if (name.toLowerCase() === 'for') node = node === undefined ? unquote(written) : '';
    }
    nodes.push(node ?? '');
  }
  return nodes;
}

/** Splits a text where the separator is not within quotes. An open quote reaches to the end of the text. */
function splitOutsideQuotes(text: string, separator: ',' | ';'): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let i = 0; i < text.length; i += 1) {
    const character = text[i];
    if (isQuoted && character === '\\') i += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === separator) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  return [...parts, text.slice(start)];
}

function unquote(written: string): string {
  return written.startsWith('"') ? written.slice(1, -1).replace(/\\([^])/g, '$1') : written;
}
