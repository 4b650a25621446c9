import { ApiError, invalid } from '../errors.ts';
import { isTooDeep } from '../event/json-depth.ts';
import { parseNdjson } from '../event/ndjson.ts';
import { describeValue, quote } from '../event/text.ts';
import type { HttpRequest } from '../ports.ts';

/** The largest body of a query or a count. */
export const QUERY_BODY_BYTES_MAX = 262_144;
/** The largest batch of events, as it comes and decompressed. */
export const INGEST_BODY_BYTES_MAX = 10_485_760;
/** How many events a batch may hold. */
export const BATCH_EVENTS_MAX = 2000;

const JSON_TYPE = 'application/json';
const NDJSON_TYPE = 'application/x-ndjson';

/** Reads the text of a JSON body of at most 256 KiB. Throws ApiError: 400, 413, 415. */
export function readJsonText(request: HttpRequest): Promise<string> {
  checkContentType(request, [JSON_TYPE]);
  return request.text(QUERY_BODY_BYTES_MAX);
}

/**
 * Reads a batch of 1 to 2,000 events, a JSON array or NDJSON. A bad line of NDJSON stays in the batch as its
 * ApiError. Throws ApiError: 400, 413, 415.
 */
export async function readEvents(request: HttpRequest): Promise<readonly unknown[]> {
  const type = checkContentType(request, [JSON_TYPE, NDJSON_TYPE]);
  const text = await request.text(INGEST_BODY_BYTES_MAX);
  const events: unknown = type === NDJSON_TYPE ? parseNdjson(text, BATCH_EVENTS_MAX) : parseJson(text);
  if (!Array.isArray(events)) throw invalid('body', `takes an array of events, got ${describeValue(events)}`);
  if (events.length < 1 || events.length > BATCH_EVENTS_MAX) {
    throw invalid('body', `takes 1 to ${BATCH_EVENTS_MAX} events, got ${events.length}`);
  }
  return events as readonly unknown[];
}

/** Parses JSON. Throws ApiError (400) that says where the text stops to be JSON, without repeating it. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw invalid('body', 'nests too deep');
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError('notJson', [whereOf(error, text)]);
  }
}

/**
 * V8 says where JSON ends to be JSON; its sentence quotes the body at length, so only the position is kept.
 */
function whereOf(error: unknown, text: string): string {
  if (text.trim() === '') return 'it is empty; send {} for no restriction';
  const position = /at position (\d+)/.exec(String(error))?.[1];
  return position === undefined ? 'it ends too early or holds a wrong character' : `at position ${position}`;
}

function checkContentType(request: HttpRequest, types: readonly string[]): string {
  const header = request.header('content-type') ?? '';
  if (types.includes(header)) return header;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  if (types.includes(type) && (charset === undefined || /^charset="?utf-8"?$/.test(charset))) return type;
  const got = header === '' ? 'nothing' : quote(header);
  throw new ApiError('unsupportedMediaType', ['Content-Type', `${types.join(' or ')} in UTF-8`, got]);
}
