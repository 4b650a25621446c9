import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';

/** What happens to one request on its way. */
export type Fault =
  /** It is answered as by the server. */
  | 'pass'
  /** The connection ends before the server gets the request. */
  | 'away'
  /** The server has answered, and the connection ends before the client gets it. */
  | 'cut'
  /** It is never answered. */
  | 'silent'
  /** Something else answers it. */
  | { readonly status: number; readonly retryAfter?: string; readonly body?: string };

/** A request that came to the gate. */
export interface Passed {
  readonly fault: Fault;
  readonly atMs: number;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly authorization: string | undefined;
}

/** Stands between a sender and a server, and disturbs the requests. */
export interface Gate {
  readonly url: string;
  readonly passed: readonly Passed[];
  /** The faults of the next requests. When they are used up, requests pass. */
  next(...faults: Fault[]): void;
  /** The fault of all requests that have none of their own. */
  always(fault: Fault): void;
}

/** Opens a gate to the server at `origin`. It is closed when the test ends. */
export async function openGate(origin: string): Promise<Gate> {
  const faults: Fault[] = [];
  const passed: Passed[] = [];
  let usual: Fault = 'pass';
  const server = createServer((request, res) => {
    void buffer(request).then(async (body) => {
      const fault = faults.shift() ?? usual;
      const events = JSON.parse(body.toString()) as Passed['events'];
      const { authorization } = request.headers;
      passed.push({ fault, atMs: performance.now(), events, authorization });
      if (fault === 'away') return void res.destroy();
      if (fault === 'silent') return undefined;
      if (typeof fault === 'object') return answer(res, fault);
      const { status, headers, text } = await forward(origin + request.url!, body, authorization);
      if (fault === 'cut') return void res.destroy();
      return answer(res, { status, body: text, retryAfter: headers.get('retry-after') ?? undefined });
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    next: (...more) => void faults.push(...more),
    always: (fault) => {
      usual = fault;
    },
  };
}

async function forward(url: string, body: Buffer, authorization: string | undefined) {
  const answered = await fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(authorization === undefined ? {} : { Authorization: authorization }),
    },
    body: new Uint8Array(body),
  });
  return { status: answered.status, headers: answered.headers, text: await answered.text() };
}

interface GivenAnswer {
  readonly status: number;
  readonly retryAfter?: string | undefined;
  readonly body?: string;
}

function answer(res: ServerResponse, { status, retryAfter, body = '{"error":"disturbed"}' }: GivenAnswer) {
  res.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter }).end(body);
}
