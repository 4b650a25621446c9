import { mutantsOf } from './mutant.ts';

const HANDLER = 'core/http/handler';

/** The engine and the service: what an event is, and who may. */
export const SERVICES = mutantsOf('src/core', [
  [
    'limits count by tenant',
    'service.ts',
    'limits.take(key.id, windows, REQUEST_COST)',
    'limits.take(tenant.id, windows, REQUEST_COST)',
  ],
  [
    'a refusal tells the limits of the tenant',
    'service.ts',
    'limits.take(key.id, windows, 0).catch',
    'limits.take(tenant.id, windows, 0).catch',
  ],
  [
    'a refusal costs a token',
    'service.ts',
    'limits.take(key.id, windows, 0).catch',
    'limits.take(key.id, windows, REQUEST_COST).catch',
  ],
  [
    'a limiter that is away turns a 400 into a 503',
    'service.ts',
    'windows, 0).catch(() => null);',
    'windows, 0);',
  ],
  [
    'a use is not noted after the clock stepped back',
    'service.ts',
    'Math.abs(judgedAt - key.lastUsedAt)',
    '(judgedAt - key.lastUsedAt)',
  ],
  [
    'a note of use that fails refuses the request',
    'service.ts',
    'judgedAt).catch(() => undefined);',
    'judgedAt);',
  ],
  [
    'a key that ended while the body came opens',
    'service.ts',
    "await hold(() => new ApiError('invalidKey'));\n        if",
    'if',
  ],
  [
    "the secret of another tenant's key opens",
    'service.ts',
    'if (proof?.key.tenantId !== tenant.id)',
    'if (proof === undefined)',
  ],
  [
    'a strategy that nobody knows lets in',
    'service.ts',
    'throw new Error(`The tenant has a strategy that is not known: ${String(tenant.authStrategy)}`);',
    'return toIngestGrant(tenant);',
  ],
  [
    'the alias is not compared with that of the key',
    'service.ts',
    'if (tenant.alias !== alias) return',
    'if (alias === null) return',
  ],
  [
    'a plan without the Query API opens it',
    'service.ts',
    "if (!planOf(tenant).queryApi) throw new ApiError('planTooLow');",
    '',
  ],
  [
    'events of any user come in with a token',
    'intake.ts',
    'if (userId !== undefined && event.userId !== userId)',
    'if (userId === null)',
    'core/engine',
  ],
  [
    'refused events are told by their place among the good ones',
    'intake.ts',
    'index: places[i]!',
    'index: i',
    'core/engine',
  ],
  ['a batch keeps its memory', 'engine.ts', 'account?.release();', ''],
]);

/** The API as plain data. */
export const HTTP = mutantsOf('src/core/http', [
  [
    'a retry with one bad event is refused',
    'ingestion.ts',
    'report.accepted + report.duplicates === 0',
    'report.accepted === 0',
    HANDLER,
  ],
  [
    'parameters that do nothing are taken',
    'operation.ts',
    'refuseParameters(target.queryString);',
    '',
    HANDLER,
  ],
  [
    'a full page has no next one',
    'questions.ts',
    "if (cursor !== undefined) call.headers['X-Next-Cursor'] = cursor;",
    '',
    HANDLER,
  ],
  [
    'no preflight is remembered',
    'cors.ts',
    "'Access-Control-Max-Age': '86400'",
    "'Access-Control-Max-Age': '0'",
    HANDLER,
  ],
  ['pages may ask where servers send', 'handler.ts', 'ingestion?.isOpenToBrowsers ?? true', 'true'],
  [
    'a tenant that is not known is told by its preflight',
    'handler.ts',
    "error.code === 'tenantNotFound') return undefined;",
    "error.code === 'internal') return undefined;",
  ],
  [
    'the log has what stands in the place of an alias',
    'handler.ts',
    'isAlias(call.alias) ? call.alias : undefined',
    'call.alias',
  ],
  [
    'the cause of a fault is not in the log',
    'handler.ts',
    'isApiError(error) ? (error.cause ?? error) : error',
    'undefined',
  ],
  [
    'a fault that was logged is logged again',
    'handler.ts',
    ' && !(isApiError(error) && error.logged)) {',
    ') {',
  ],
  ['the time until a limit is full is rounded down', 'response.ts', 't=${Math.ceil(', 't=${Math.floor('],
  [
    'a limit is said to be full before it is',
    'response.ts',
    'Math.ceil((at + scarce.fullInMs) / 1000)',
    'Math.round((at + scarce.fullInMs) / 1000)',
  ],
  [
    'the limit with most tokens is told',
    'response.ts',
    'window.remaining < least.remaining',
    'window.remaining > least.remaining',
  ],
  [
    'pages of the same ends are one page',
    'page-text.ts',
    'a.every((event, i) => event === b[i])',
    'a.at(-1) === b.at(-1)',
  ],
  [
    'pages that are remembered grow for ever',
    'page-text.ts',
    'if (pages.length >= PAGES_MAX) pages.shift()!.memory.retire();',
    '',
  ],
  ['pieces of a page have no comma between them', 'page-text.ts', "before = ',';", "before = '';"],
  [
    'texts that are remembered grow for ever',
    'memo.ts',
    'if (values.size >= TEXTS_MAX) values.delete(values.keys().next().value!);',
    '',
  ],
  ['long texts are remembered', 'memo.ts', 'if (text.length > TEXT_LENGTH_MAX) return value;', ''],
  ['other encodings are taken for UTF-8', 'request.ts', '/^charset="?utf-8"?$/.test(charset)', 'true'],
]);
