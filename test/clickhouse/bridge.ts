/**
 * ClickHouse as a process of its own: the engine as a library (`chdb`), behind the HTTP interface that its
 * clients speak, as far as the tests use it. `node --import tsx bridge.ts FOLDER PORT [CONFIG]` prints a line
 * when it listens. What a server does beside the engine (users, limits of HTTP, a cluster over a network) is
 * not there.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';

interface Session {
  readonly connection: unknown;
  query(sql: string): unknown;
  close(): void;
}
interface Chdb {
  readonly Session: new (folder: string, options?: { connectionArgs: string[] }) => Session;
}
interface Answer {
  readonly bytes: Uint8Array;
}
/** The library below the package: its parameters go through as they came. */
interface Native {
  QueryAsyncConnection(
    connection: unknown,
    sql: string,
    format: string,
    parameters?: Readonly<Record<string, string>>,
  ): Promise<Answer>;
  InsertRawAsyncConnection(connection: unknown, sql: string, data: Buffer, wait: boolean): Promise<unknown>;
}

const [folder, port, config] = process.argv.slice(2);
const require = createRequire(import.meta.url);
const { Session } = require('chdb') as Chdb;
const library = `@chdb/lib-${process.platform}-${process.arch}${process.platform === 'linux' ? '-gnu' : ''}`;
const native = require(library) as Native;

const options = config === undefined ? undefined : { connectionArgs: [`--config-file=${config}`] };
/**
 * One session stays open, so that the engine does; a session of its own for each request keeps settings
 * apart.
 */
const keeper = new Session(folder!, options);

/** What a request may say that is no setting of the engine. */
const OF_HTTP = new Set([
  ...['query', 'query_id', 'database', 'default_format', 'wait_end_of_query', 'role'],
  ...['enable_http_compression', 'cancel_http_readonly_queries_on_client_close'],
]);

/** One request, taken apart. */
interface Question {
  readonly sql: string;
  readonly format: string;
  readonly data: Buffer;
  readonly settings: readonly string[];
  readonly parameters: Readonly<Record<string, string>>;
}

/** The fields of a form. What the platform has for it drops U+FEFF from the beginning of a text. */
function readForm(data: Buffer, boundary: string): [string, string][] {
  const parts = data.toString().split(`--${boundary}`).slice(1, -1);
  return parts.map((part) => {
    const [head = '', ...texts] = part.split('\r\n\r\n');
    return [/\bname="([^"]*)"/.exec(head)![1]!, texts.join('\r\n\r\n').slice(0, -2)];
  });
}

async function readQuestion(request: IncomingMessage): Promise<Question> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  let data = Buffer.concat(chunks);
  const fields = [...new URL(request.url!, 'http://bridge').searchParams];
  const type = request.headers['content-type'] ?? '';
  if (type.startsWith('multipart/form-data')) {
    fields.push(...readForm(data, /boundary="?([^";]+)/.exec(type)![1]!));
    data = Buffer.alloc(0);
  }
  const url = new Map(fields);
  const text = url.get('query');
  const isInsert = /^\s*insert\b/i.test(text ?? '');
  const whole = isInsert ? text! : [text, data.toString()].filter(Boolean).join('\n');
  // The format is an argument of the engine, not a part of the text.
  const [, sql = whole, format] = isInsert ? [] : (/^(.*)\bFORMAT\s+(\w+)\s*;?\s*$/is.exec(whole) ?? []);
  const isParameter = ([name]: readonly [string, string]) => name.startsWith('param_');
  return {
    sql,
    format: format ?? url.get('default_format') ?? 'TabSeparated',
    data: isInsert ? data : Buffer.alloc(0),
    settings: fields.filter((field) => !isParameter(field) && !OF_HTTP.has(field[0])).map(toAssignment),
    parameters: Object.fromEntries(fields.filter(isParameter).map(([name, value]) => [name.slice(6), value])),
  };
}

function toAssignment([name, value]: readonly [string, string]): string {
  const quoted = value.replaceAll('\\', '\\\\').replaceAll("'", "\\'");
  return `${name} = ${/^-?\d+(\.\d+)?$/.test(value) ? value : `'${quoted}'`}`;
}

let last: Promise<unknown> = Promise.resolve();

/** The library keeps parameters in one place for the whole process, so statements with some take turns. */
function alone<T>(work: () => Promise<T>): Promise<T> {
  const result = last.then(work);
  last = result.catch(() => undefined);
  return result;
}

async function run({ sql, format, data, settings, parameters }: Question): Promise<Uint8Array> {
  const session = new Session(folder!, options);
  try {
    if (settings.length > 0) session.query(`SET ${settings.join(', ')}`);
    if (data.length > 0) {
      await native.InsertRawAsyncConnection(session.connection, `${sql}\n`, data, true);
      return new Uint8Array();
    }
    const ask = (bound?: Question['parameters']) =>
      native.QueryAsyncConnection(session.connection, sql, format, bound);
    const { bytes } = Object.keys(parameters).length > 0 ? await alone(() => ask(parameters)) : await ask();
    return bytes;
  } finally {
    session.close();
  }
}

function fail(response: ServerResponse, error: unknown): void {
  const text = (error as Error).message.replace(/^(Query|Insert)[^:]*failed: /i, '');
  const code = /Code: (\d+)/.exec(text)?.[1] ?? '1000';
  response.writeHead(500, { 'content-type': 'text/plain', 'x-clickhouse-exception-code': code }).end(text);
}

const server = createServer((request, response) => {
  if (request.url === '/ping') return void response.end('Ok.\n');
  readQuestion(request)
    .then(run)
    .then((bytes) => response.writeHead(200, { 'x-clickhouse-query-id': 'one' }).end(Buffer.from(bytes)))
    .catch((error: unknown) => fail(response, error));
});
// The client ends idle connections itself. On a busy machine it comes later than this server's 5 seconds, and
// would send a question to a connection that has just been closed.
server.keepAliveTimeout = 120_000;
server.listen(Number(port), '127.0.0.1', () => console.log('listening'));
// Whoever started it may have been killed.
process.stdin.resume().on('end', () => process.exit(0));
process.once('exit', () => keeper.close());
