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
  /** The server has answered, and the connection ends before all of the answer is at the client. */
  | 'half'
  /** It is never answered. */
  | 'silent'
  /** The answer of the server comes so much later. */
  | { readonly afterMs: number }
  /** Something else answers it; with `isStored` after the server has, and with `isBegun` not to the end. */
  | {
      readonly status: number;
      readonly retryAfter?: string;
      readonly body?: string;
      readonly isStored?: boolean;
      readonly isBegun?: boolean;
    };

/** A request that came to the gate. */
export interface Passed {
  readonly path: string;
  readonly fault: Fault;
  readonly atMs: number;
  readonly events: readonly Readonly<Record<string, unknown>>[];
  readonly authorization: string | undefined;
}

/** Whether the server got a request with this fault. */
export function isForwarded(fault: Fault): boolean {
  if (typeof fault === 'string') return fault === 'pass' || fault === 'cut' || fault === 'half';
  return 'afterMs' in fault || fault.isStored === true;
}

/** Stands between a sender and a server, and disturbs the requests. */
export interface Gate {
  readonly url: string;
  readonly passed: readonly Passed[];
  /** How many requests wait, by their fault, for an answer. */
  readonly held: number;
  /** The faults of the next requests. When they are used up, requests pass. */
  next(...faults: Fault[]): void;
  /** The fault of all requests that have none of their own. */
  always(fault: Fault): void;
  /** Forgets all faults and all requests. */
  reset(): void;
}

/** Opens a gate to the server at `origin`. It is closed when the test ends. */
export async function openGate(origin: string): Promise<Gate> {
  const faults: Fault[] = [];
  const passed: Passed[] = [];
  const held = new Set<ServerResponse>();
  let usual: Fault = 'pass';
  const server = createServer((request, res) => {
    void buffer(request).then(async (body) => {
      const fault = faults.shift() ?? usual;
      const events = JSON.parse(body.toString()) as Passed['events'];
      const { authorization } = request.headers;
      passed.push({ path: request.url!, fault, atMs: performance.now(), events, authorization });
      if (fault === 'away') return void res.destroy();
      if (fault === 'silent') return hold(res);
      if (!isForwarded(fault)) return answer(res, fault as GivenAnswer);
      const { status, headers, text } = await forward(origin + request.url!, body, authorization);
      if (fault === 'cut') return void res.destroy();
      if (fault === 'half') {
        res.writeHead(status, { 'Content-Length': Buffer.byteLength(text) });
        return void res.write(text.slice(0, -1), () => res.destroy());
      }
      const answered = { status, body: text, retryAfter: headers.get('retry-after') ?? undefined };
      if (typeof fault === 'string') return answer(res, answered);
      if ('status' in fault) return answer(res, fault);
      hold(res);
      return void setTimeout(() => (held.delete(res), answer(res, answered)), fault.afterMs);
    });
  });
  const hold = (res: ServerResponse) => {
    held.add(res);
    res.once('close', () => held.delete(res));
  };
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    get held() {
      return held.size;
    },
    next: (...more) => void faults.push(...more),
    always: (fault) => {
      usual = fault;
    },
    reset() {
      usual = 'pass';
      faults.length = 0;
      passed.length = 0;
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
  readonly isBegun?: boolean;
}

function answer(res: ServerResponse, given: GivenAnswer): void {
  const { status, retryAfter, body = '{"error":"disturbed"}', isBegun = false } = given;
  res.writeHead(status, retryAfter === undefined ? {} : { 'Retry-After': retryAfter });
  if (isBegun) res.write(body);
  else res.end(body);
}
