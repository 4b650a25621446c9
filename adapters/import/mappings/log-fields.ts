import { isIP } from 'node:net';
import type { JsonObject, JsonValue } from '../../../src/index.ts';
import { isJsonObject, setOwn } from '../../../src/internal.ts';
import { freeKey, isNothing } from '../../../src/transport-kit.ts';
import type { LeftOut } from '../readers/left-out.ts';
import { clientOf, isAddress, splitPort, toLogTime, toRequestParts, type RequestParts } from './log-parts.ts';

/** How the fields of a request are made, and who hears of those that are not. */
export interface LogFieldsOptions {
  /** Goes into the hash of a client, so that nobody can compute it from an address. */
  readonly salt: string;
  readonly leftOut: LeftOut;
}

/** A field of a log that is no object: its names from the outermost, and its value. */
interface LogField {
  readonly path: readonly string[];
  /** The names without case and punctuation. */
  readonly name: string;
  readonly value: JsonValue;
  /** The value as a text; of a list of one the text in it, because headers are lists. */
  readonly text: string;
}

/**
 * The names of each field of a request in the logs of web servers, without case and punctuation, likeliest
 * first. Servers that write JSON leave the names to people, so there are many.
 */
const NAMES = {
  client: [
    ...['requestclientip', 'requestremoteip', 'requestremoteaddr', 'clienthost', 'clientaddr', 'cip'],
    ...['clientport', 'remoteaddr', 'remoteip', 'remoteaddress', 'remotehost', 'clientip', 'clientipaddress'],
    ...['client', 'clientaddress', 'httprequestremoteip', 'sourceip', 'sourceaddress', 'srcip', 'ip'],
    ...['realip', 'xrealip', 'httpxrealip', 'remote'],
  ],
  user: ['userid', 'clientusername', 'csusername', 'remoteuser', 'username', 'user', 'authuser', 'auth'],
  time: [
    ...['startutc', 'startlocal', 'ts', 'timestamp', 'timeiso8601', 'time', 'timelocal', 'datetime'],
    ...['eventdatetime', 'msec', 'edgestarttimestamp', 'starttime', 'date'],
  ],
  line: ['request', 'requestline'],
  method: [
    ...['requestmethod', 'method', 'csmethod', 'httprequestmethod', 'verb', 'httpmethod'],
    ...['clientrequestmethod', 'httprequestrequestmethod'],
  ],
  target: [
    ...['requesturi', 'urloriginal', 'csuri', 'csuristem', 'uri', 'requestpath', 'clientrequesturi', 'url'],
    ...['requesturl', 'httprequestrequesturl', 'path', 'urlpath', 'uripath', 'request'],
  ],
  query: ['csuriquery', 'querystring', 'query', 'args', 'urlquery', 'requestparam'],
  protocol: [
    ...['requestproto', 'requestprotocol', 'csprotocolversion', 'csversion', 'serverprotocol', 'protocol'],
    ...['proto', 'httpversion', 'clientrequestprotocol', 'httprequestprotocol'],
  ],
  status: [
    ...['status', 'downstreamstatus', 'scstatus', 'elbstatuscode', 'statuscode', 'httpstatus', 'response'],
    ...['responsestatus', 'httpresponsestatuscode', 'edgeresponsestatus', 'httprequeststatus', 'code'],
  ],
  bytes: [
    ...['bodybytessent', 'bodybytes', 'size', 'downstreamcontentsize', 'scbytes', 'sentbytes', 'bytes'],
    ...['bytessent', 'lenbytes', 'responsesize', 'httpresponsebodybytes', 'httprequestresponsesize'],
    ...['edgeresponsebytes', 'byteswritten'],
  ],
  referer: [
    ...['referer', 'referrer', 'httpreferer', 'httpreferrer', 'csreferer', 'requestheadersreferer'],
    ...['requestreferer', 'clientrequestreferer', 'httprequestreferer', 'httprequestreferrer'],
  ],
  agent: [
    ...['useragent', 'httpuseragent', 'csuseragent', 'requestheadersuseragent', 'requestuseragent', 'agent'],
    ...['ua', 'clientrequestuseragent', 'httprequestuseragent', 'useragentoriginal'],
  ],
  vhost: [
    ...['requesthost', 'xhostheader', 'cshost', 'httphost', 'host', 'servername', 'vhost'],
    ...['clientrequesthost', 'urldomain'],
  ],
} as const satisfies Record<string, readonly string[]>;

/** How many of what a field counts are a second; other fields of a duration stay as they are. */
const PER_SECOND: Readonly<Record<string, number>> = {
  ...{ duration: 1, request_time: 1, duration_s: 1, elapsed_s: 1 },
  ...{
    duration_ms: 1e3,
    request_time_ms: 1e3,
    latency_ms: 1e3,
    response_time_ms: 1e3,
  },
  // Traefik counts nanoseconds, and begins its names with a capital.
  Duration: 1e9,
};

/** Fields whose addresses are those of servers. */
const OF_SERVERS = new Set([
  ...[
    'sip',
    'serveraddr',
    'serverip',
    'localaddr',
    'upstreamaddr',
    'upstream',
    'upstreamhost',
    'hostname',
    'requestaddr',
  ],
  ...['serviceaddr', 'serviceurl', 'targetport', 'backendport', 'targetportlist', 'originip', 'servername'],
  ...NAMES.vhost,
]);
/** Fields that say a part of a request line once more. */
const SAID_TWICE: ReadonlySet<string> = new Set([...NAMES.target, ...NAMES.query]);
/** What parts of the record are called that have a meaning, so that no field of a log takes their place. */
const RESERVED: JsonObject = Object.fromEntries(
  [
    'line',
    'name',
    'client',
    'user',
    'time',
    'request',
    'port',
    ...Object.keys(NAMES),
    'path',
    'duration',
  ].map((name) => [name, null]),
);

/**
 * The record of a request whose fields have names. Addresses in fields other than the client's may be those
 * of people, so they are left out and counted.
 */
export function toFieldsRecord(fields: JsonObject, { salt, leftOut }: LogFieldsOptions): JsonObject {
  const leaves = [...leavesOf(joinDay(fields), [])];
  const found = findMeanings(leaves);
  const { client, target, parts, taken } = found;
  const record: JsonObject = {
    line: JSON.stringify(fields),
    name: 'http_request',
  };
  const agent = found.agent?.text;
  if (found.time !== undefined) record.time = toTime(found.time.value);
  const address = client && addressesIn(client.text)[0];
  if (address !== undefined) record.client = clientOf(splitPort(address).host, agent ?? '', salt);
  const port = address && splitPort(address).port;
  if (port !== undefined) record.port = port;
  const { origin, path, query } = splitTarget(parts?.target ?? target?.text);
  const own: Record<string, JsonValue | undefined> = {
    user: found.user?.text,
    vhost: origin?.host ?? found.vhost?.text,
    request: parts === undefined ? found.line?.text : undefined,
    method: parts?.method ?? found.method?.text,
    path,
    query: query ?? found.query?.text,
    protocol: parts?.protocol ?? found.protocol?.text,
    status: found.status && Number(found.status.text),
    bytes: found.bytes && Number(found.bytes.text),
    duration: found.duration && toSeconds(found.duration, leaves),
    referer: found.referer?.text,
    agent,
  };
  for (const [key, value] of Object.entries(own)) if (value !== undefined) record[key] = value;
  if (origin !== undefined && origin.host !== found.vhost?.text) taken.delete(found.vhost!);
  if (query !== undefined) taken.delete(found.query!);
  if (origin !== undefined && !leaves.some(({ name }) => name === 'scheme')) record.scheme = origin.scheme;
  for (const leaf of leaves) {
    const isSaid = SAID_TWICE.has(leaf.name) && [parts?.target, path, query].includes(leaf.text);
    if (isSaid || (leaf.name.endsWith('method') && leaf.text === parts?.method)) taken.add(leaf);
  }
  const host = address === undefined ? undefined : splitPort(address).host;
  const rest = toRest({ leaves, taken, host, client }, leftOut);
  for (const [key, value] of Object.entries(rest))
    setOwn(record, Object.hasOwn(RESERVED, key) ? freeKey({ ...RESERVED, ...record }, key) : key, value);
  return record;
}

/** Whether fields are those of a request: they say what was asked for, and how it was answered. */
export function isRequest(fields: JsonObject): boolean {
  return isAnswered(findMeanings([...leavesOf(fields, [])]));
}

/** Whether an object is surely one of a log of requests: it also says when, and by whom. */
export function isLogObject(fields: JsonObject): boolean {
  const found = findMeanings([...leavesOf(joinDay(fields), [])]);
  return isAnswered(found) && found.time !== undefined && found.client !== undefined;
}

const isAnswered = ({ status, line, target }: Meanings) =>
  status !== undefined && (line !== undefined || target !== undefined);

const toTime = (value: JsonValue) => (typeof value === 'string' ? toLogTime(value) : value);

/** W3C logs, also as JSON, name day and time of day apart, and both are UTC. */
function joinDay(fields: JsonObject): JsonObject {
  const { date, time, ...others } = fields;
  if (typeof date !== 'string' || typeof time !== 'string') return fields;
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || !/^\d{2}:\d{2}:\d{2}(\.\d+)?$/.test(time)) return fields;
  const isW3c = Object.keys(fields).some((name) => /^(c|s|cs|sc|x)-\w/.test(name));
  return { ...others, time: `${date}T${time}${isW3c ? 'Z' : ''}` };
}

/** How deep the fields of a log may nest; what is deeper stays whole. */
const DEPTH_MAX = 8;

function* leavesOf(object: JsonObject, above: readonly string[]): Generator<LogField> {
  for (const [key, value] of Object.entries(object)) {
    const path = [...above, key];
    if (isJsonObject(value) && path.length < DEPTH_MAX) {
      yield* leavesOf(value, path);
      continue;
    }
    const inner = Array.isArray(value) && value.length === 1 ? value[0]! : value;
    if (inner === '-' || isNothing(inner)) continue;
    const text = typeof inner === 'object' ? JSON.stringify(inner) : String(inner);
    yield {
      path,
      name: path
        .join('')
        .toLowerCase()
        .replaceAll(/[^a-z0-9]/g, ''),
      value,
      text,
    };
  }
}

type Meanings = Partial<Record<keyof typeof NAMES | 'duration', LogField | undefined>> & {
  /** What a request line holds. */
  readonly parts: RequestParts | undefined;
  /** The leaves that a field of the record is made of. */
  readonly taken: Set<LogField>;
};

/** Which leaf has which meaning. */
function findMeanings(leaves: readonly LogField[]): Meanings {
  const taken = new Set<LogField>();
  const byName = new Map(leaves.map((leaf) => [leaf.name, leaf]));
  const find = (
    meaning: keyof typeof NAMES,
    fits: (text: string, leaf: LogField) => boolean = () => true,
  ) => {
    for (const name of NAMES[meaning]) {
      const leaf = byName.get(name);
      if (leaf === undefined || taken.has(leaf) || !fits(leaf.text, leaf)) continue;
      taken.add(leaf);
      return leaf;
    }
    return undefined;
  };
  const status = find('status', (text) => /^\d{1,3}$/.test(text));
  const line = find('line', (text) => !/^(\/|\*$|\w+:\/\/)/.test(text));
  const parts = line && toRequestParts(line.text);
  const target = parts === undefined ? find('target', (text) => !/\s/.test(text)) : undefined;
  const client = find('client', isAddresses) ?? leaves.find((leaf) => isClientByValue(leaf, taken));
  if (client !== undefined) taken.add(client);
  const found: Meanings = { parts, taken, ...{ status, line, target, client } };
  found.time = find('time', (text) => /^\[?\d/.test(text));
  found.agent = find('agent');
  found.user = find('user', (text) => addressesIn(text).length === 0);
  if (parts === undefined) found.method = find('method');
  if (parts?.protocol === undefined) found.protocol = find('protocol', (text) => /^HTTP\//i.test(text));
  found.query = find('query');
  found.bytes = find('bytes', (text) => /^\d{1,16}$/.test(text));
  found.referer = find('referer');
  found.vhost = find('vhost');
  found.duration = leaves.find(
    (leaf) => /^\d+(\.\d+)?$/.test(leaf.text) && perSecond(leaf, leaves) !== undefined,
  );
  if (found.duration !== undefined) taken.add(found.duration);
  return found;
}

/** Whether a field of a name that says nothing is that of the client: it holds nothing but an address. */
function isClientByValue(leaf: LogField, taken: ReadonlySet<LogField>): boolean {
  const isServer = OF_SERVERS.has(leaf.name) && leaf.name !== 'host';
  return !taken.has(leaf) && !isServer && isAddress(leaf.text);
}

/** How many of what a field counts are a second, if that is known. */
function perSecond({ path, text }: LogField, leaves: readonly LogField[]): number | undefined {
  const [key = ''] = path;
  if (path.length > 1) return undefined;
  if (key === 'Duration' && !leaves.some(({ name }) => name === 'downstreamstatus')) return undefined;
  if (key !== 'time-taken') return Object.hasOwn(PER_SECOND, key) ? PER_SECOND[key] : undefined;
  // IIS counts milliseconds; what counts seconds, as CloudFront does, writes fractions.
  const isOfEdge = text.includes('.') || leaves.some(({ name }) => name.startsWith('xedge'));
  return isOfEdge ? 1 : 1e3;
}

const toSeconds = (leaf: LogField, leaves: readonly LogField[]) =>
  Number((Number(leaf.text) / perSecond(leaf, leaves)!).toFixed(9));

/** What stands before a path in a target, as balancers write it, the path, and the query. */
function splitTarget(target: string | undefined): {
  readonly origin?: { readonly scheme: string; readonly host: string };
  readonly path?: string;
  readonly query?: string;
} {
  if (target === undefined) return {};
  const [begin, scheme] = /^(\w+):\/\//.exec(target) ?? [''];
  const behind = target.slice(begin.length);
  const host = scheme === undefined ? '' : behind.split(/[/?#]/, 1)[0]!;
  const local = scheme === undefined ? target : behind.slice(host.length) || '/';
  const at = local.indexOf('?');
  const path = at === -1 ? local : local.slice(0, at);
  const usual = scheme === undefined || /^(http|ws)$/.test(scheme) ? ':80' : ':443';
  const plain = host.endsWith(usual) ? host.slice(0, -usual.length) : host;
  return {
    ...(scheme !== undefined && host !== '' && { origin: { scheme, host: plain } }),
    path,
    ...(at !== -1 && { query: local.slice(at + 1) }),
  };
}

/** The words of a text that are addresses, with their ports; those of a list may be escaped. */
function addressesIn(text: string): string[] {
  return text
    .replaceAll('%20', ' ')
    .split(/[\s,;="'()<>|]+/)
    .map((word) => (isIP(word) === 0 ? word.replace(/[.:]$/, '') : word))
    .filter(isAddress);
}

const isAddresses = (text: string) => isAddress(text.split(/,|%20|\s/, 1)[0]!);

interface Remaining {
  readonly leaves: readonly LogField[];
  readonly taken: ReadonlySet<LogField>;
  readonly host: string | undefined;
  readonly client: LogField | undefined;
}

/** The fields that have no place of their own, without addresses. */
function toRest({ leaves, taken, host, client }: Remaining, leftOut: LeftOut): JsonObject {
  const rest: JsonObject = {};
  const drop = ({ path }: LogField) => leftOut.add(`addresses in ${path.join('.')} of the log`);
  for (const leaf of leaves) {
    const { path, name, value, text } = leaf;
    if (leaf === client && addressesIn(text).length > 1) drop(leaf);
    if (taken.has(leaf)) continue;
    const addresses = addressesIn(text);
    const isOfClient = host !== undefined && text.includes(host);
    if (isOfClient || (addresses.length > 0 && !OF_SERVERS.has(name))) {
      // The hash stands for a field that holds the address of the client once more, and nothing else.
      if (host === undefined || splitPort(text).host !== host) drop(leaf);
      continue;
    }
    let object = rest;
    for (const key of path.slice(0, -1)) {
      const held = Object.hasOwn(object, key) ? object[key] : undefined;
      object = isJsonObject(held) ? held : setOwn(object, key, {});
    }
    setOwn(object, path.at(-1)!, value);
  }
  return rest;
}
