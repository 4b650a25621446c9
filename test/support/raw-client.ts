import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A client that writes bytes as a test wants them, good or bad. */
export interface RawClient {
  readonly socket: Socket;
  /** Writes; an error of the connection shows when something is read. */
  send(data: string | Uint8Array): void;
  /** The next answer; rejects when the connection ends before it is complete. */
  read(options?: { readonly head?: boolean }): Promise<RawAnswer>;
  /** Resolves when the server has ended the connection; the bytes that came before and were not read. */
  ended(): Promise<string>;
  close(): void;
}

export async function openRawClient(port: number): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = Buffer.alloc(0);
  let over = false;
  let wake: () => void = () => undefined;
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  for (const event of ['end', 'close', 'error'] as const) {
    socket.on(event, () => {
      over = true;
      wake();
    });
  }
  await once(socket, 'connect');
  const more = async () => {
    if (over) throw new Error(`the connection ended after ${JSON.stringify(received.toString())}`);
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  };
  const take = (bytes: number) => {
    const taken = received.subarray(0, bytes).toString();
    received = received.subarray(bytes);
    return taken;
  };
  return {
    socket,
    send: (data) => void socket.write(data),
    read: async ({ head = false } = {}) => {
      while (!received.includes('\r\n\r\n')) await more();
      const [start = '', ...lines] = take(received.indexOf('\r\n\r\n') + 4)
        .trim()
        .split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => [
          line.slice(0, line.indexOf(':')).toLowerCase(),
          line.slice(line.indexOf(':') + 2),
        ]),
      );
      const length = head ? 0 : Number(headers['content-length'] ?? 0);
      while (received.length < length) await more();
      return { status: Number(start.split(' ')[1]), headers, body: take(length) };
    },
    ended: async () => {
      while (!over) await more();
      return received.toString();
    },
    close: () => socket.destroy(),
  };
}

/** Writes bytes on a connection of their own and reads one answer. */
export async function sendRaw(port: number, data: string | Uint8Array): Promise<RawAnswer> {
  const client = await openRawClient(port);
  try {
    client.send(data);
    return await client.read();
  } finally {
    client.close();
  }
}

/** The head of a request with a JSON body for the count of a tenant, to be followed by the body. */
export function countHead(
  alias: string,
  secret: string,
  headers: Record<string, string | number> = {},
): string {
  const fields = { Host: 'localhost', 'X-API-Key': secret, 'Content-Type': 'application/json', ...headers };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /v1/api/query/count/${alias} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
