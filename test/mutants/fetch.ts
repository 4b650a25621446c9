import { mutantsOf } from './mutant.ts';

const BODY = 'adapters/node-http/body';
const FETCH = 'adapters/fetch/handler';
const LISTENER = 'adapters/node-http/listener';
const OVERLOAD = 'adapters/node-http/overload';
const READING = 'adapters/node-http/reading';
const SAME = 'adapters/fetch/same-answers';
const STREAMS = 'adapters/fetch/streams';

/** What all transports do alike. */
export const TRANSPORT = mutantsOf('src/core/http/transport', [
  [
    'a web page cannot read why it was refused',
    'answer.ts',
    'request === undefined ? headers : { ...headers, ...pageHeaders(request) }',
    'request === undefined ? headers : headers',
    'core/http/transport/answer',
  ],
  [
    'an answer of no pieces has one',
    'answer.ts',
    "if (first.done === true) return { status, headers, body: '' };",
    '',
    'core/http/transport/answer',
  ],
  [
    'any encoding is read as it is',
    'body.ts',
    "if (name === 'gzip' || name === 'x-gzip') return true;\n  throw",
    "if (name === 'gzip' || name === 'x-gzip') return true;\n  if (name !== '') return false;\n  throw",
    BODY,
  ],
  [
    'a body that is too large by its length is read all the same',
    'body.ts',
    "if (Number(request.header('content-length') ?? 0) > bytesMax)",
    "if (Number(request.header('content-length') ?? 0) < 0)",
    BODY,
  ],
  [
    'one byte more than the limit is read',
    'body.ts',
    'if (body.bytes > bytesMax)',
    'if (body.bytes > bytesMax + 1)',
    BODY,
  ],
  ['gzip may unpack to anything', 'body.ts', 'if (body.bytes > unpackedMax)', 'if (body.bytes < 0)', READING],
  [
    'each body keeps its request until all is collected',
    'body.ts',
    '    bytes: 0,\n',
    '    held: 0,\n    get bytes() { return this.held; },\n    set bytes(bytes) { this.held = bytes; },\n',
    'core/http/transport/body',
  ],
  [
    'what repeats itself in a small body is a bomb',
    'body.ts',
    'UNPACKED_FREELY_BYTES + packedBytes * unpackRatioMax',
    'packedBytes * unpackRatioMax',
    BODY,
  ],
  ['memory of bodies is not counted', 'body.ts', 'if (!book(part.length)) return refusal();', '', OVERLOAD],
  ['every byte of a body is free', 'body.ts', '    free -= own;\n', '', FETCH],
  [
    'two paths that begin alike are one',
    'target.ts',
    "if (rest.startsWith('/')) return rest;",
    'return rest;',
    FETCH,
  ],
  [
    'the API answers beside its prefix',
    'target.ts',
    "if (!target.startsWith(path)) return '';",
    'if (!target.startsWith(path)) return target;',
    FETCH,
  ],
  [
    'a whole address is no target',
    'target.ts',
    "const path = url.replace(ABSOLUTE_FORM, '');",
    'const path = url;',
    FETCH,
  ],
  [
    'one path written in two ways has two shares',
    'target.ts',
    "if (!path.includes('%')) return path;",
    'if (path.length >= 0) return path;',
    OVERLOAD,
  ],
]);

/** What is served by web standards. */
export const FETCH_HANDLER = mutantsOf('adapters/fetch', [
  [
    'a body that was read before looks empty',
    'body.ts',
    'if (request.bodyUsed || request.body?.locked === true) throw bodyIsTaken();',
    "if (request.bodyUsed) return '';",
    FETCH,
  ],
  [
    'the source of a refused body goes on',
    'body.ts',
    'void reader.cancel(refusal).catch(() => undefined);',
    '',
    FETCH,
  ],
  [
    'zeros behind gzip are passed over',
    'body.ts',
    '(await isWhole(wire.subarray(0, -1)))',
    '(await isWhole(wire.subarray(0, -9)))',
    SAME,
  ],
  ['gzip in members is refused', 'body.ts', ' && (await isWhole(wire.subarray(0, -1)))', '', SAME],
  ['what is no UTF-8 is guessed', 'body.ts', 'fatal: true, ', '', SAME],
  ['a byte order mark is lost', 'body.ts', ', ignoreBOM: true', '', SAME],
  [
    'what a body unpacks to keeps what it was packed in',
    'body.ts',
    '  reading.release(wire.length);\n',
    '',
    FETCH,
  ],
  [
    'memory stays booked when an answer is out',
    'handler.ts',
    '      exchange.leave();\n      return whole(response);',
    '      return whole(response);',
    FETCH,
  ],
  [
    'memory stays booked when a request is refused',
    'handler.ts',
    '      exchange.leave();\n      return whole(toErrorAnswer',
    '      return whole(toErrorAnswer',
    FETCH,
  ],
  ['a 204 has a body', 'handler.ts', 'if (status === 204)', 'if (status === 205)', SAME],
  [
    'the length of an answer is not said',
    'handler.ts',
    "...headers, 'Content-Length': String(bytes.length)",
    '...headers',
    SAME,
  ],
  [
    'pieces are made before they are taken',
    'handler.ts',
    '{ highWaterMark: 0 }',
    '{ highWaterMark: 3 }',
    FETCH,
  ],
  ['memory of pieces is not given back', 'handler.ts', '        exchange.release(taken);\n', '', FETCH],
  [
    'memory of pieces is not booked',
    'handler.ts',
    'if (!exchange.book(next.length)) {',
    'if (next.length < 0) {',
    FETCH,
  ],
  ['a source goes on when nobody reads it', 'handler.ts', '      cancel: end,\n', '', FETCH],
  [
    'a source waits for a client that has gone',
    'handler.ts',
    "request.signal.addEventListener('abort', () => void end(), { once: true });",
    '',
    FETCH,
  ],
  [
    'an answer that was given up looks whole',
    'handler.ts',
    'if (exchange.signal.aborted) throw aborted();',
    '',
    FETCH,
  ],
  [
    'an answer that breaks off looks whole',
    'handler.ts',
    '          throw error;\n',
    '          controller.close();\n',
    STREAMS,
  ],
  [
    'nobody is told that an answer broke off',
    'handler.ts',
    "if (!isAborted(error)) log?.error({ path, err: error }, 'an answer broke off');",
    '',
    FETCH,
  ],
  [
    'nobody is told that a client has gone',
    'handler.ts',
    'return isGone || request.signal.aborted;',
    'return isGone;',
    STREAMS,
  ],
  ['digests lose their zeros', 'runtime.ts', ".padStart(2, '0')", '', FETCH],
]);

/** What is served within somebody else's server on Node. */
export const NODE_LISTENER = mutantsOf('adapters/node-http', [
  [
    'of two credentials the first counts',
    'listener.ts',
    "req.headersDistinct[name]?.join(', ')",
    'req.headersDistinct[name]?.[0]',
    LISTENER,
  ],
  ['nothing is watched after a rest', 'listener.ts', '    sweeper = undefined;\n', '', LISTENER],
  [
    'a body that a parser has read is waited for',
    'exchange/body.ts',
    'if (req.readableDidRead) throw bodyIsTaken();',
    '',
    LISTENER,
  ],
  [
    'the prefix stays in the target',
    'listener.ts',
    "below(toTarget(req.url ?? ''))",
    "toTarget(req.url ?? '')",
    LISTENER,
  ],
]);

const ASKED = 'adapters/client/requests';

/** The client. */
export const CLIENT = mutantsOf('adapters/client', [
  ['a name is no part of an address', 'client.ts', 'encodeURIComponent(event)', 'event', ASKED],
  ['a page of nothing', 'client.ts', 'if (events.length > 0) yield events;', 'yield events;', ASKED],
  ['a tail is asked without a pause', 'client.ts', '< IDLE_MS) await', '< 0) await', ASKED],
  [
    'a request leaves its timer',
    'requests.ts',
    '      } finally {\n        patience.rest();\n      }\n    },\n    async *lines',
    '      } finally {\n      }\n    },\n    async *lines',
    ASKED,
  ],
  ['half a letter is one', 'requests.ts', '{ stream: true }', '{}', ASKED],
  ['a sleep leaves its listener', 'requests.ts', "signal?.removeEventListener('abort', stop);", '', ASKED],
  ['the first timer stays', 'patience.ts', '      patience.rest();\n      timer', '      timer', ASKED],
  [
    'a date is a time to come back',
    'errors.ts',
    'Number.isFinite(seconds) ? seconds : undefined',
    'seconds',
    ASKED,
  ],
  ['a refusal that breaks off is none', 'errors.ts', ".catch(() => '')", '', ASKED],
  ['no operand is none at all', 'filters.ts', '(value: unknown = null)', '(value: unknown)', ASKED],
]);
