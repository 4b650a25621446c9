import { invalid, isApiError, type ApiError, type JsonObject } from '../../../src/index.ts';
import { parseJsonLine } from '../../../src/internal.ts';
import { toLogRecord } from './access-log.ts';
import { isLogObject, isRequest, toFieldsRecord, type LogFieldsOptions } from './log-fields.ts';
import { takeQuoted, unescape } from './log-parts.ts';

/** The lines of a log that describe it, by which a W3C log is known. */
const DIRECTIVE = /^#([A-Z][A-Za-z-]*):/;
const KNOWN_DIRECTIVES = ['Version', 'Fields', 'Software', 'Date', 'Start-Date', 'End-Date', 'Remark'];

/** What the balancers of AWS write, in this order. Later versions add fields at the end. */
const CLASSIC = [
  ...['time', 'elb', 'client:port', 'target:port', 'request_processing_time', 'target_processing_time'],
  ...['response_processing_time', 'elb_status_code', 'target_status_code', 'received_bytes', 'sent_bytes'],
  ...['request', 'user_agent', 'ssl_cipher', 'ssl_protocol'],
];
const APPLICATION = [
  ...['type', ...CLASSIC, 'target_group_arn', 'trace_id', 'domain_name', 'chosen_cert_arn'],
  ...['matched_rule_priority', 'request_creation_time', 'actions_executed', 'redirect_url', 'error_reason'],
  ...['target:port_list', 'target_status_code_list', 'classification', 'classification_reason'],
  ...['conn_trace_id', 'transformed_host', 'transformed_uri', 'request_transform_status'],
];
/** What the words of a balancer look like from its time on. */
const WORDS = [
  ...[/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/, /./, /^-$|:\d{1,5}$/, /^-$|:\d{1,5}$/],
  ...[/^-?[\d.]+$/, /^-?[\d.]+$/, /^-?[\d.]+$/],
];
/** The words that say it are not longer than this together. */
const WORDS_LENGTH_MAX = 2000;
/** How many fields a line of a balancer has at least. */
const BALANCER_FIELDS_MIN = 12;

/** Reads a log line by line: its record, or nothing for a line that is no request and is counted. */
export type ReadLogLine = (line: string) => JsonObject | ApiError | undefined;

/** How the lines of a log are read. */
export interface LogLinesOptions extends LogFieldsOptions {
  /** Whether other lines of a program may stand between those of its log. */
  readonly isMixed: boolean;
}

/**
 * Makes the reader of a log of web servers. Each line says by itself what it is, except for those of W3C,
 * whose fields a line before them names: so the reader remembers it.
 */
export function createLogReader({ isMixed, ...options }: LogLinesOptions): ReadLogLine {
  const { salt, leftOut } = options;
  let columns: readonly string[] | undefined;
  return (line) => {
    const [begin = '', directive] = DIRECTIVE.exec(line) ?? [];
    if (directive !== undefined) {
      if (directive === 'Fields') columns = line.slice(begin.length).trim().split(/\s+/);
      else if (directive !== 'Version') leftOut.add(`lines #${directive} of the log`);
      return undefined;
    }
    const fields = toNamedFields(line, columns);
    if (isApiError(fields)) return fields;
    // A server that writes JSON writes what it does beside requests into the same file.
    const isOther = fields !== undefined && line.startsWith('{') && !isRequest(fields);
    if (!isOther) {
      const record = fields === undefined ? toLogRecord(line, salt) : toFieldsRecord(fields, options);
      if (record !== undefined) return record;
    }
    if (!isOther && !(isMixed && !MAY_BE_REQUEST.test(line)))
      return invalid('event', `its line is no request as a web server logs it, got ${shown(line)}`);
    leftOut.add('lines of the log that are no request');
    return undefined;
  };
}

/** A line that holds a time as a log of requests does, so that it may be a request that cannot be read. */
const MAY_BE_REQUEST = /\[\d{2}\/[A-Z][a-z]{2}\/\d{4}:/;

/** Whether a line is one of a log of web servers, as far as it can say so alone. */
export function isLogLine(line: string): boolean {
  const [, directive = ''] = DIRECTIVE.exec(line) ?? [];
  if (KNOWN_DIRECTIVES.includes(directive)) return true;
  const fields = toNamedFields(line, undefined);
  if (fields === undefined) return toLogRecord(line, '') !== undefined;
  return !isApiError(fields) && (!line.startsWith('{') || isLogObject(fields));
}

/** The fields of a line that have names; undefined for a line of text. */
function toNamedFields(
  line: string,
  columns: readonly string[] | undefined,
): JsonObject | ApiError | undefined {
  if (line.startsWith('{')) return parseJsonLine(line) as JsonObject | ApiError;
  if (columns !== undefined) return toW3cFields(line, columns);
  const words = line.slice(0, WORDS_LENGTH_MAX).split(' ', WORDS.length + 1);
  if (areOfBalancer(words)) return toBalancerFields(line, CLASSIC);
  const [type = '', ...others] = words;
  return /^[a-z]\w+$/.test(type) && areOfBalancer(others) ? toBalancerFields(line, APPLICATION) : undefined;
}

const areOfBalancer = (words: readonly string[]) =>
  words.length >= WORDS.length && WORDS.every((pattern, i) => pattern.test(words[i]!));

function toW3cFields(line: string, columns: readonly string[]): JsonObject | ApiError {
  const isTabbed = line.includes('\t');
  const cells = isTabbed ? line.split('\t') : wordsOf(line);
  if (cells.length !== columns.length)
    return invalid('event', `its line has ${cells.length} fields, and #Fields names ${columns.length}`);
  const fields = toFields(columns, cells);
  for (const name of ['cs(User-Agent)', 'cs-User-Agent']) {
    const agent = fields[name];
    // A text may hold no blank there: IIS writes `+` for it, CloudFront escapes it.
    if (typeof agent === 'string') fields[name] = isTabbed ? decoded(agent) : agent.replaceAll('+', ' ');
  }
  return fields;
}

function toBalancerFields(line: string, names: readonly string[]): JsonObject | undefined {
  const words = wordsOf(line);
  if (words.length < BALANCER_FIELDS_MIN) return undefined;
  const fields = toFields(names, words.slice(0, names.length));
  for (const [i, word] of words.slice(names.length).entries()) fields[`field_${names.length + i + 1}`] = word;
  const times = CLASSIC.slice(4, 7).map((name) => Number(fields[name]));
  if (times.every((time) => time >= 0))
    fields.duration = Number(times.reduce((sum, time) => sum + time).toFixed(9));
  return fields;
}

function toFields(names: readonly string[], words: readonly string[]): JsonObject {
  return Object.fromEntries(words.map((word, i) => [names[i]!, word]));
}

/** The words of a line; those in quotes may hold blanks. */
function wordsOf(line: string): string[] {
  const words: string[] = [];
  for (let at = 0; at < line.length;) {
    if (line[at] === ' ') at += 1;
    else if (line[at] === '"') {
      const [text, next] = takeQuoted(line, at + 1);
      words.push(unescape(text));
      at = next;
    } else {
      const end = line.indexOf(' ', at);
      const next = end === -1 ? line.length : end;
      words.push(line.slice(at, next));
      at = next;
    }
  }
  return words;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const shown = (line: string) => JSON.stringify(line.slice(0, 60));
