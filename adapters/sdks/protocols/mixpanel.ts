import {
  ApiError,
  invalid,
  type Batch,
  type BatchText,
  type EventInput,
  type FindingTools,
  type HttpResponse,
  type IngestReport,
  type Pacer,
  type Protocol,
  type ProtocolRoute,
  type Refused,
  type RoutedRequest,
  type WireFormat,
} from '../../../src/index.ts';
import { fieldOf, findList, jsonResponse, oneMessage, type ToEvent } from '../../../src/transport-kit.ts';
import {
  isUpdate,
  MIXPANEL_FIELDS,
  MIXPANEL_PATHS,
  toMixpanelEvent,
  type MixpanelPath,
} from '../events/mixpanel.ts';
import { jsonOfBase64 } from '../messages/base64.ts';
import { passwordOfBasic, userOfBasic } from '../messages/basic.ts';
import { FORM_TYPES } from '../messages/content-types.ts';
import { isObject } from '../messages/fields.ts';
import { bytesOfForm, FORM_BYTES_MAX } from '../messages/form.ts';
import { fieldOfRefusal, withInsertId } from '../messages/identified.ts';
import {
  anyObject,
  ingestReport,
  listOf,
  messageOf,
  objectOf,
  only,
  text,
  textOrNull,
  toRef,
  whole,
} from '../messages/schemas.ts';

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

/** A service account has its secret as the password of Basic credentials, a project its token as the user. */
function secretOf({ request }: RoutedRequest): string | undefined {
  const header = request.header('authorization') ?? '';
  return passwordOfBasic(header) === '' ? userOfBasic(header) : passwordOfBasic(header);
}

/** The token of the form, else that of the first message. */
async function secretIn(body: BatchText, request: RoutedRequest, pacer: Pacer): Promise<string | undefined> {
  const { form } = body;
  const ofForm = form && (fieldOf(form, 'api_key') ?? fieldOf(form, 'token'));
  if (ofForm !== undefined) return ofForm;
  // What is no event here is only looked at.
  const messages = await findMessages(body, (message) => message as EventInput, pacer);
  for (const message of messages.events()) return tokenOf(message, request.parameter as MixpanelPath);
  return undefined;
}

/** The token in a message, where `toMixpanelEvent` leaves it out: it is never stored. */
function tokenOf(message: unknown, path: MixpanelPath): string | undefined {
  if (!isObject(message)) return undefined;
  const { properties, $token: ofUpdate } = message;
  const ofEvent = isObject(properties) ? properties.token : undefined;
  const token = isUpdate(path) ? ofUpdate : ofEvent;
  return typeof token === 'string' ? token : undefined;
}

/** The JSON of a body, and the form that held it, if any. Throws ApiError: 400, 413. */
async function unwrap({ text, type }: BatchText, _request: RoutedRequest, pacer: Pacer): Promise<BatchText> {
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

/** Finds the events of a request. Throws ApiError: 400, 413, 503. */
async function find(
  body: BatchText,
  request: RoutedRequest,
  { pacer, runtime }: FindingTools,
): Promise<MixpanelBatch> {
  const { form } = body;
  const path = request.parameter as MixpanelPath;
  const ids: (string | null)[] = [];
  const toEvent: ToEvent = (message, index) => {
    ids[index] = insertIdOf(message);
    return withInsertId(toMixpanelEvent(message, path), 'mp', runtime);
  };
  return {
    ...(await findMessages(body, toEvent, pacer)),
    isForm: form !== undefined,
    isVerbose: isSet(request, 'verbose') || (form !== undefined && fieldOf(form, 'verbose') === '1'),
    insertIdAt: (index) => ids[index] ?? null,
  };
}

/** The messages of a JSON text: one alone, or those of an array or of lines. Throws ApiError (400). */
async function findMessages(body: BatchText, toEvent: ToEvent, pacer: Pacer): Promise<Batch> {
  const isList = body.type === 'ndjson' || !body.text.trimStart().startsWith('{');
  return isList ? findList(body, toEvent, pacer) : oneMessage(body.text, toEvent);
}

/** An id that is longer is none of Mixpanel, and an answer must not repeat it. */
const INSERT_ID_LENGTH_MAX = 128;

function insertIdOf(message: unknown): string | null {
  const properties = !isObject(message) ? undefined : message.properties;
  const id = isObject(properties) ? properties.$insert_id : undefined;
  return typeof id === 'string' && id.length <= INSERT_ID_LENGTH_MAX ? id : null;
}

function isSet({ target }: RoutedRequest, name: string): boolean {
  return fieldOf(target.queryString, name) === '1';
}

function answer(report: IngestReport, request: RoutedRequest, batch: MixpanelBatch): HttpResponse {
  const [first] = report.rejected;
  if (request.parameter === 'import' && !batch.isForm) return importAnswer(report, request, batch);
  if (isSet(request, 'img')) {
    return { status: 200, headers: { ...request.headers, 'Content-Type': 'image/gif' }, body: PIXEL };
  }
  if (!batch.isVerbose) return { status: 200, headers: request.headers, body: '1' };
  const error = first === undefined ? null : `events[${first.index}]: ${first.error}`;
  return jsonResponse(request, JSON.stringify({ status: 1, error }));
}

/** The answer of `/import`. Mixpanel too keeps the good messages of a batch and answers 400. */
function importAnswer(report: IngestReport, request: RoutedRequest, batch: MixpanelBatch): HttpResponse {
  const { accepted, duplicates, rejected } = report;
  const imported = { num_records_imported: accepted + duplicates };
  if (rejected.length === 0) {
    return jsonResponse(request, JSON.stringify({ code: 200, ...imported, status: 'OK' }));
  }
  const failed = { failed_records: failedRecords(report, batch) };
  if (fieldOf(request.target.queryString, 'strict') === '0') {
    return jsonResponse(request, JSON.stringify({ code: 200, ...imported, ...failed, status: 'OK' }));
  }
  const error = 'some data points in the request failed validation';
  const body = { code: 400, error, ...failed, ...imported, status: REASONS[400] };
  return jsonResponse(request, JSON.stringify(body), 400);
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

function refusal(
  { status, message: error }: ApiError,
  request: RoutedRequest,
  refused: Refused<MixpanelBatch>,
): object {
  if (request.parameter !== 'import') return { error, status: 0 };
  const { report, batch } = refused;
  const failed =
    report === undefined || batch === undefined ? {} : { failed_records: failedRecords(report, batch) };
  return { code: status, error, ...failed, num_records_imported: 0, status: REASONS[status] ?? 'Error' };
}

const MESSAGES: WireFormat<MixpanelBatch> = {
  secretOf,
  types: /* @__PURE__ */ Object.assign({ 'application/x-ndjson': 'ndjson' }, FORM_TYPES),
  bytesBeside,
  unwrap,
  secretIn,
  find,
  answer,
  refusal,
};

function toRoutes(): readonly ProtocolRoute[] {
  const form = {
    type: 'object',
    properties: { data: { type: 'string', description: 'JSON, or its Base64' } },
  };
  return [
    {
      name: 'mixpanel',
      methods: ['POST', 'GET'],
      path: '/{call}',
      values: Object.keys(MIXPANEL_PATHS),
      takes: MESSAGES,
      described: {
        summary: 'Store events as the SDKs of Mixpanel send them; a GET has them in its address, as `data`',
        answer: toRef('MixpanelAnswer'),
        queryParameters: ['data', 'verbose', 'strict', 'img', 'ip'],
        requestBody: {
          required: false,
          content: {
            'application/json': { schema: toRef('MixpanelBody') },
            'application/x-ndjson': { schema: text },
            'application/x-www-form-urlencoded': { schema: form },
          },
        },
      },
    },
    {
      name: 'mixpanelSettings',
      methods: ['GET'],
      path: '/settings',
      takes: (request) => jsonResponse(request, '{}'),
      described: {
        summary: 'The remote settings of Mixpanel’s web SDK: none',
        answer: toRef('MixpanelSettings'),
      },
    },
    {
      name: 'mixpanelFlags',
      methods: ['GET'],
      path: '/flags',
      takes: (request) => jsonResponse(request, '{"flags":{}}'),
      described: {
        summary: 'The feature flags of Mixpanel’s web SDK: none',
        answer: toRef('MixpanelFlags'),
      },
    },
  ];
}

/** What Mixpanel's SDKs are answered: a number, that with a reason, or the report of an import. */
function toAnswerSchema() {
  const failed = objectOf({ index: whole, $insert_id: textOrNull, field: text, message: text });
  return {
    anyOf: [
      only(1),
      objectOf({ status: only(1), error: textOrNull }),
      objectOf(
        { code: only(200), num_records_imported: whole, status: only('OK') },
        { failed_records: listOf(failed) },
      ),
      // That of a dry run.
      ingestReport(),
    ],
  };
}

/** The protocol of Mixpanel's SDKs. */
export function mixpanel(): Protocol {
  /** An event, or an update of a profile. */
  const message = messageOf({ event: text, properties: anyObject, $distinct_id: text, $set: anyObject });
  return {
    name: 'mixpanel',
    routes: toRoutes(),
    schemas: {
      MixpanelBody: { anyOf: [message, listOf(message)] },
      MixpanelAnswer: toAnswerSchema(),
      MixpanelSettings: objectOf({}),
      MixpanelFlags: objectOf({ flags: objectOf({}) }),
    },
  };
}
