import { mutantsOf } from './mutant.ts';

const BODY = 'adapters/node-http/body';
const CLOSE = 'adapters/node-http/close';
const OVERLOAD = 'adapters/node-http/overload';
const REQUESTS = 'adapters/node-http/requests';
const SLOW = 'adapters/node-http/slow-clients';

/** What sockets do. */
export const NODE_HTTP = mutantsOf('adapters/node-http', [
  ['a 204 has a body', 'answer.ts', 'if (status === 204) {', 'if (status === 205) {', REQUESTS],
  [
    'the connection stays open where the answer says that it ends',
    'answer.ts',
    "if (closes) fields.push('Connection', 'close');",
    '',
    BODY,
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
    "if (Number(exchange.header('content-length') ?? 0) > reading.bytesMax) throw",
    "if (Number(exchange.header('content-length') ?? 0) < 0) throw",
    BODY,
  ],
  [
    'a body may unpack without end',
    'body.ts',
    'if (bytes > bytesMax) fail(tooLarge(bytesMax));',
    'if (bytes < 0) fail(tooLarge(bytesMax));',
    BODY,
  ],
  [
    'what follows gzip is passed over',
    'body.ts',
    'if (stream.bytesWritten === wire.length) resolve',
    'if (stream.bytesWritten > 0) resolve',
    BODY,
  ],
  [
    'what is no UTF-8 is guessed',
    'body.ts',
    "if (!isUtf8(bytes)) throw unreadable('it is not UTF-8');",
    '',
    BODY,
  ],
  [
    'memory of bodies is not counted',
    'body.ts',
    'else if (!reading.book(chunk.length)) fail(reading.refusal());',
    '',
    OVERLOAD,
  ],
  [
    'what a body unpacks to is not counted',
    'body.ts',
    'else if (!book(chunk.length)) fail(refusal());',
    'else if (!book(0)) fail(refusal());',
    OVERLOAD,
  ],
  ['the client waits for 100 Continue for ever', 'body.ts', 'exchange.res.writeContinue();', '', BODY],
  [
    'one address takes all connections',
    'connections.ts',
    'if (!places.take([address]) && !(dropResting(address) && places.take([address]))) {',
    "if (!places.take([''])) {",
    SLOW,
  ],
  [
    'closing cuts off what is in flight',
    'connections.ts',
    "which === 'all' || exchanges.length === 0",
    'exchanges.length >= 0',
    CLOSE,
  ],
  [
    'the handler may take for ever',
    'exchanges.ts',
    "if (exchange.phase === 'running' && age > handlerTicks) giveUp(exchange);",
    '',
    OVERLOAD,
  ],
  [
    'memory of a request is never given back',
    'exchanges.ts',
    'if (exchange.handled) exchange.account?.release();',
    '',
    OVERLOAD,
  ],
  [
    'one owner takes all places',
    'places.ts',
    'if ((held.get(owner) ?? 0) >= free) return false;',
    '',
    OVERLOAD,
  ],
  ['places are never given back', 'places.ts', 'taken -= 1;', '', OVERLOAD],
  [
    'repeated keys are one key',
    'server.ts',
    'joinDuplicateHeaders: true,',
    'joinDuplicateHeaders: false,',
    REQUESTS,
  ],
  ['an upgrade is swallowed', 'server.ts', "server.on('connect', takeOver);", '', REQUESTS],
  [
    'a body that nobody finishes is never answered',
    'server.ts',
    "if (exchange.phase === 'reading') exchanges.breakOff(exchange, new ApiError('requestTimeout'));",
    '',
    SLOW,
  ],
  [
    'closing waits for who does not go on',
    'server.ts',
    "connections.destroy('all'), limits.closeTimeoutMs",
    "connections.destroy('idle'), limits.closeTimeoutMs",
    CLOSE,
  ],
]);
