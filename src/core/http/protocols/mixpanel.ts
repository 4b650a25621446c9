import { ApiError, invalid, isApiError } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { Pacer } from '../../bounds/scheduler.ts';
import { isUpdate, MIXPANEL_FIELDS, toMixpanelEvent, type MixpanelPath } from '../../compat/mixpanel.ts';
import type { IngestReport } from '../../engine/intake.ts';
import { isJsonObject } from '../../event/event.ts';
import { utf8Length } from '../../event/text.ts';
import { jsonOfBase64 } from '../base64.ts';
import { passwordOfBasic, userOfBasic } from '../basic.ts';
import { findBatch, parseSpan, type Batch } from '../batch.ts';
import { fieldOf } from '../form.ts';
import type { HttpResponse } from '../message.ts';
import type { Call } from '../operation.ts';
import { BATCH_TYPES, type BatchText } from '../request.ts';
import { jsonResponse } from '../response.ts';
import { bytesOfForm, FORM_BYTES_MAX } from './form.ts';
import { fieldOfRefusal, orRefusal, withInsertId } from './identified.ts';
import { secretOfChase } from './own.ts';
import type { Protocol, Refused } from './protocol.ts';

/** A picture of one transparent pixel, in ASCII throughout. */
const PIXEL = 'GIF89a\x01\0\x01\0\0\0\0,\0\0\0\0\x01\0\x01\0\0\x02\0;';

/** The messages of a request of Mixpanel's SDKs. */
interface MixpanelBatch extends Batch {
  /** Whether the request is a form or an address: the answer to these is a number. */
  readonly isForm: boolean;
  /** Whether the sender asks for a reason beside the number. */
  readonly isVerbose: boolean;
  /** The `$insert_id` of a message that was read; null for none. */
  insertIdAt(index: number): string | null;
}

/** The protocol of Mixpanel's SDKs. */
export function mixpanelProtocol(runtime: Pick<Runtime, 'sha256'>): Protocol<MixpanelBatch> {
  return {
    secretOf,
    types: { ...BATCH_TYPES, 'application/x-www-form-urlencoded': 'json' },
    bytesBeside,
    unwrap,
    secretIn,
    find: (body, call, pacer) => findMessages(body, call, { pacer, runtime }),
    answer,
    refusal,
  };
}

/** A service account has its secret as the password of Basic credentials, a project its token as the user. */
function secretOf(call: Call): string | undefined {
  const header = call.request.header('authorization') ?? '';
  const ofBasic = passwordOfBasic(header) === '' ? userOfBasic(header) : passwordOfBasic(header);
  return ofBasic ?? secretOfChase(call);
}

/** The token of the form, else that of the first message. */
async function secretIn(body: BatchText, call: Call, pacer: Pacer): Promise<string | undefined> {
  const { form } = body;
  const ofForm = form && (fieldOf(form, 'api_key') ?? fieldOf(form, 'token'));
  if (ofForm !== undefined) return ofForm;
  const located = await locateMessages(body, pacer);
  for (const message of located.events()) return tokenOf(message, call.parameter as MixpanelPath);
  return undefined;
}

/** The token in a message, where `toMixpanelEvent` leaves it out: it is never stored. */
function tokenOf(message: unknown, path: MixpanelPath): string | undefined {
  if (isApiError(message) || !isJsonObject(message)) return undefined;
  const { properties, $token: ofUpdate } = message;
  const ofEvent = isJsonObject(properties) ? properties.token : undefined;
  const token = isUpdate(path) ? ofUpdate : ofEvent;
  return typeof token === 'string' ? token : undefined;
}

/** The JSON of a body, and the form that held it, if any. Throws ApiError: 400, 413. */
async function unwrap({ text, type }: BatchText, _call: Call, pacer: Pacer): Promise<BatchText> {
  if (type === 'ndjson' || isJson(text)) return { text, type };
  if (text.length > FORM_BYTES_MAX) throw new ApiError('bodyTooLarge', [FORM_BYTES_MAX]);
  const data = fieldOf(text, 'data');
  await pacer.yieldIfDue();
  const json = data === undefined || isJson(data) ? data : jsonOfBase64(data);
  if (json === undefined) throw invalid('data', 'takes JSON or its Base64, as a field of a form');
  return { text: json, type, form: text };
}

function isJson(text: string): boolean {
  return /^\s{0,1000}[[{]/.test(text);
}

function bytesBeside({ text, type }: BatchText): number {
  return type === 'ndjson' || isJson(text) ? 0 : bytesOfForm(text);
}

/** What the search for messages needs. */
interface Tools {
  readonly pacer: Pacer;
  readonly runtime: Pick<Runtime, 'sha256'>;
}

/** Finds the messages of a request. Throws ApiError: 400, 413, 503. */
async function findMessages(body: BatchText, call: Call, tools: Tools): Promise<MixpanelBatch> {
  const { form } = body;
  const located = await locateMessages(body, tools.pacer);
  const path = call.parameter as MixpanelPath;
  const ids: (string | null)[] = [];
  return {
    ...{ length: located.length, bytes: located.bytes },
    *events() {
      for (const message of located.events()) {
        ids.push(insertIdOf(message));
        const toEvent = () => withInsertId(toMixpanelEvent(message, path), 'mp', tools.runtime);
        yield isApiError(message) ? message : orRefusal(toEvent);
      }
    },
    isForm: form !== undefined,
    isVerbose: isSet(call, 'verbose') || (form !== undefined && fieldOf(form, 'verbose') === '1'),
    insertIdAt: (index) => ids[index] ?? null,
  };
}

/** The messages of a JSON text: one alone, or those of an array or of lines. Throws ApiError (400). */
async function locateMessages({ text, type }: BatchText, pacer: Pacer): Promise<Batch> {
  if (type === 'ndjson' || !text.trimStart().startsWith('{')) return findBatch(text, type, pacer);
  return {
    ...{ length: 1, bytes: utf8Length(text) },
    // The mapping checks the type of the value.
    events: () => [parseSpan(text, [0, text.length], 'json') as ApiError],
  };
}

/** An id that is longer is none of Mixpanel, and an answer must not repeat it. */
const INSERT_ID_LENGTH_MAX = 128;

function insertIdOf(message: unknown): string | null {
  const properties = isApiError(message) || !isJsonObject(message) ? undefined : message.properties;
  const id = isJsonObject(properties) ? properties.$insert_id : undefined;
  return typeof id === 'string' && id.length <= INSERT_ID_LENGTH_MAX ? id : null;
}

function isSet({ target }: Call, name: string): boolean {
  return fieldOf(target.queryString, name) === '1';
}

function answer(report: IngestReport, call: Call, batch: MixpanelBatch): HttpResponse {
  const [first] = report.rejected;
  if (call.parameter === 'import' && !batch.isForm) return importAnswer(report, call, batch);
  if (isSet(call, 'img')) {
    return { status: 200, headers: { ...call.headers, 'Content-Type': 'image/gif' }, body: PIXEL };
  }
  if (!batch.isVerbose) return { status: 200, headers: call.headers, body: '1' };
  const error = first === undefined ? null : `events[${first.index}]: ${first.error}`;
  return jsonResponse(call, JSON.stringify({ status: 1, error }));
}

/** The answer of `/import`. Mixpanel too keeps the good messages of a batch and answers 400. */
function importAnswer(report: IngestReport, call: Call, batch: MixpanelBatch): HttpResponse {
  const { accepted, duplicates, rejected } = report;
  const imported = { num_records_imported: accepted + duplicates };
  if (rejected.length === 0) {
    return jsonResponse(call, JSON.stringify({ code: 200, ...imported, status: 'OK' }));
  }
  const failed = { failed_records: failedRecords(report, batch) };
  if (fieldOf(call.target.queryString, 'strict') === '0') {
    return jsonResponse(call, JSON.stringify({ code: 200, ...imported, ...failed, status: 'OK' }));
  }
  const error = 'some data points in the request failed validation';
  const body = { code: 400, error, ...failed, ...imported, status: REASONS[400] };
  return jsonResponse(call, JSON.stringify(body), 400);
}

function failedRecords({ rejected }: IngestReport, batch: MixpanelBatch): readonly object[] {
  return rejected.map(({ index, error }) => ({
    ...{ index, $insert_id: batch.insertIdAt(index), field: fieldOfRefusal(error, MIXPANEL_FIELDS) },
    message: error,
  }));
}

/** The reason phrases of HTTP, which the answers of `/import` repeat. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Content Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
};

function refusal({ status, message: error }: ApiError, call: Call, refused: Refused<MixpanelBatch>): object {
  if (call.parameter !== 'import') return { error, status: 0 };
  const { report, batch } = refused;
  const failed =
    report === undefined || batch === undefined ? {} : { failed_records: failedRecords(report, batch) };
  return { code: status, error, ...failed, num_records_imported: 0, status: REASONS[status] ?? 'Error' };
}
