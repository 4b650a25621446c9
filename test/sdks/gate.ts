import { once } from 'node:events';
import {
  createServer,
  request,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';

/** What happens to one request on its way. */
export type Fault =
  /** It is answered by the server. */
  | 'pass'
  /** The connection ends before the server gets the request. */
  | 'away'
  /** The server has answered, and the connection ends before the client gets it. */
  | 'cut'
  /** Something else answers it. */
  | { readonly status: number; readonly retryAfter?: string };

/** A request that came to the gate, and what the server answered. */
export interface Passed {
  readonly fault: Fault;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  /** Without gzip. */
  readonly body: string;
  /** The status of the answer; undefined where the connection ended instead. */
  readonly status: number | undefined;
  /** The headers and the body of the server's answer, also of one that was cut. */
  readonly answer: { readonly headers: IncomingHttpHeaders; readonly body: string } | undefined;
}

/** Stands between an SDK and a server, keeps what passes, and disturbs it. */
export interface Gate {
  readonly origin: string;
  readonly passed: Passed[];
  /** The faults of the next requests that send something. When they are used up, requests pass. */
  next(...faults: Fault[]): void;
  close(): void;
}

/** Opens a gate to the server at `origin`; without one it answers everything with 200. */
export async function openGate(origin?: string): Promise<Gate> {
  const faults: Fault[] = [];
  const passed: Passed[] = [];
  const usual: Fault = origin === undefined ? { status: 200 } : 'pass';

  async function pass(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const body = await buffer(req);
    const { method = '', url: path = '', headers } = req;
    // Mixpanel's SDK for Node sends in the address.
    const isSending = method === 'POST' || path.includes('data=');
    const fault = (isSending ? faults.shift() : undefined) ?? usual;
    const note = (status?: number, answer?: Passed['answer']) =>
      passed.push({ fault, method, path, headers, body: textOf(body), status, answer });
    if (fault === 'away') {
      note();
      res.destroy();
    } else if (typeof fault === 'object') {
      note(fault.status);
      res.writeHead(fault.status, headersOf(fault, headers.origin)).end('{}');
    } else {
      const answer = await forward(`${origin}${path}`, { method, headers }, body);
      note(fault === 'cut' ? undefined : answer.status, answer);
      if (fault === 'cut') res.destroy();
      else res.writeHead(answer.status, answer.headers).end(answer.body);
    }
  }

  const server = createServer((req, res) => void pass(req, res).catch(() => res.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    next: (...more) => void faults.push(...more),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The text of a body; nothing but gzip begins so. */
function textOf(body: Buffer): string {
  return (body[0] === 0x1f && body[1] === 0x8b ? gunzipSync(body) : body).toString();
}

/** The headers of an answer that the gate gives. A page may read it. */
function headersOf({ retryAfter }: { readonly retryAfter?: string }, origin: string | undefined) {
  return {
    ...(retryAfter === undefined ? {} : { 'Retry-After': retryAfter }),
    // Beacons come with credentials.
    ...(origin === undefined
      ? {}
      : { 'Access-Control-Allow-Origin': origin, 'Access-Control-Allow-Credentials': 'true' }),
    'Access-Control-Expose-Headers': 'retry-after',
  };
}

async function forward(
  url: string,
  options: { readonly method: string; readonly headers: IncomingHttpHeaders },
  body: Buffer,
) {
  const sent = request(url, options);
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return {
    status: answer.statusCode!,
    headers: answer.headers,
    body: (await buffer(answer)).toString(),
  };
}
