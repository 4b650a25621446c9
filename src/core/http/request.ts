import { ApiError, invalid } from '../base/errors.ts';
import { refuseAmbiguous } from '../event/exact-json.ts';
import { isTooDeep } from '../event/json-depth.ts';
import { quote } from '../event/text.ts';
import type { HttpRequest } from './message.ts';

/** The largest body of a query or a count, in bytes. */
export const QUERY_BODY_BYTES_MAX = 262_144;
/** The largest batch of events in bytes, both as sent and decompressed. */
export const INGEST_BODY_BYTES_MAX = 10_485_760;
/** The largest batch that is read to find the secret key of its sender in it, in bytes. */
export const KEYED_BODY_BYTES_MAX = 1_048_576;

const JSON_TYPE = 'application/json';
/** Browsers send a beacon with a plain string as this type. The string has to be JSON. */
const PLAIN_TYPE = 'text/plain';
const NDJSON_TYPE = 'application/x-ndjson';

/** The format of a batch: JSON or NDJSON. */
export type BatchType = 'json' | 'ndjson';

/** The text of a batch, and its format. */
export interface BatchText {
  /** The text, without a byte order mark. */
  readonly text: string;
  /** The format of the text. */
  readonly type: BatchType;
  /** The form that held the text, if one did. */
  readonly form?: string;
}

/** The content types of a batch, and their formats. */
export const BATCH_TYPES: Readonly<Record<string, BatchType>> = {
  [JSON_TYPE]: 'json',
  [NDJSON_TYPE]: 'ndjson',
  [PLAIN_TYPE]: 'json',
};

/** Those of a batch that is JSON. */
export const JSON_BATCH_TYPES: Readonly<Record<string, BatchType>> = {
  [JSON_TYPE]: 'json',
  [PLAIN_TYPE]: 'json',
};

/**
 * Reads the text of a JSON body of at most 256 KiB; its memory counts for `owner`. Throws ApiError: 400, 413,
 * 415.
 */
export async function readJsonText(request: HttpRequest, owner: string): Promise<string> {
  checkContentType(request, [JSON_TYPE]);
  return withoutMark(await request.text(QUERY_BODY_BYTES_MAX, owner));
}

/**
 * Reads the text of a batch of one of some content types, and finds its format; its memory counts for
 * `owner`. Throws ApiError: 400, 413, 415.
 */
export async function readBatchText(
  request: HttpRequest,
  types: Readonly<Record<string, BatchType>>,
  bytesMax: number,
  owner: string,
): Promise<BatchText> {
  const type = checkContentType(request, Object.keys(types));
  const text = withoutMark(await request.text(bytesMax, owner));
  return { text, type: types[type]! };
}

/** A text without the byte order mark before it, which says nothing of UTF-8 (RFC 8259, 8.1). */
function withoutMark(text: string): string {
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/**
 * Parses JSON. `begin` is the position of the text in the body. Throws ApiError (400) that names the position
 * of the first mistake without repeating the text.
 */
export function parseJson(text: string, begin = 0): unknown {
  if (isTooDeep(text)) throw tooDeep();
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ApiError('notJson', [lineAndColumn(error, text, begin)]);
  }
}

/**
 * Parses the JSON of a question or a change. Throws ApiError (400) as `parseJson` does, and for a text that
 * says something twice, or a number that would be rounded.
 */
export function parseBody(text: string): unknown {
  const body = parseJson(text);
  const refusal = refuseAmbiguous(text);
  if (refusal !== undefined) throw refusal;
  return body;
}

/** The refusal of a body that nests too deep. */
export function tooDeep(): ApiError {
  return invalid('body', 'nests too deep');
}

/**
 * Says where a text stops being JSON. V8's message quotes the body at length, so only its position is used.
 */
function lineAndColumn(error: unknown, text: string, begin: number): string {
  if (text.trim() === '') return 'it is empty; send {} for no restriction';
  const position = /at position (\d+)/.exec(String(error))?.[1];
  if (position !== undefined) {
    // Python and JavaScript write texts in single quotes too.
    const remedy = text[Number(position)] === "'" ? ': put keys and texts in double quotes' : '';
    return `at position ${begin + Number(position)}${remedy}`;
  }
  const where = begin === 0 ? '' : `behind position ${begin} `;
  return `${where}it ends too early or holds a wrong character`;
}

/** UTF-8 and its subset, as they are often misspelled. */
const CHARSET_PATTERN = /^charset=["']?(?:utf-?8|us-ascii)["']?$/;

/** The type that other names of it mean: JSON with a vocabulary (RFC 6839), and the names of NDJSON. */
function toKnownType(type: string): string {
  if (/^application\/(?:ndjson|jsonl|x-jsonl|jsonlines|x-jsonlines|json-lines)$/.test(type))
    return NDJSON_TYPE;
  return /^(?:application\/[\w.-]{1,100}\+json|text\/json)$/.test(type) ? JSON_TYPE : type;
}

function checkContentType(request: HttpRequest, types: readonly string[]): string {
  const header = request.header('content-type') ?? '';
  if (types.includes(header)) return header;
  const [type = '', ...parameters] = header.split(';').map((part) => part.trim().toLowerCase());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const meant = toKnownType(type);
  if (types.includes(meant) && (charset === undefined || CHARSET_PATTERN.test(charset))) return meant;
  const got = header === '' ? 'nothing' : quote(header);
  throw new ApiError('unsupportedMediaType', [
    'Content-Type',
    `${types.filter((each) => each !== '').join(' or ')} in UTF-8`,
    got,
  ]);
}
