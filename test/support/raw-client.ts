import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { readAnswer, readAnswers, type Answer } from './answers.ts';

/** A client that writes bytes as a test wants them, good or bad. */
export interface RawClient {
  readonly socket: Socket;
  /** Writes; an error of the connection shows when something is read. */
  send(data: string | Uint8Array): void;
  /** The next answer; rejects when the connection ends before it is complete. */
  read(options?: { readonly head?: boolean }): Promise<Answer>;
  /** Resolves when the server has ended the connection; the bytes that came before and were not read. */
  ended(): Promise<string>;
  close(): void;
}

/** Connects to a port of this machine, from one of its own addresses. */
export async function openRawClient(port: number, localAddress = '127.0.0.1'): Promise<RawClient> {
  const socket = connect({ port, host: '127.0.0.1', localAddress, allowHalfOpen: true });
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
  const more = () =>
    new Promise<void>((resolve) => {
      wake = resolve;
    });
  return {
    socket,
    send: (data) => void socket.write(data),
    read: async ({ head = false } = {}) => {
      for (;;) {
        const read = readAnswer(received, 0, head);
        if (read instanceof Error) throw read;
        if (read !== undefined) {
          received = received.subarray(read.end);
          return read.answer;
        }
        if (over) throw new Error(`the connection ended after ${JSON.stringify(received.toString())}`);
        await more();
      }
    },
    ended: async () => {
      while (!over) await more();
      return received.toString();
    },
    close: () => socket.destroy(),
  };
}

/** Writes bytes on a connection of their own and reads one answer. */
export async function sendRaw(port: number, data: string | Uint8Array): Promise<Answer> {
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

/** What came back over one connection. */
export interface Conversation {
  readonly bytes: Buffer;
  /** The answers in it; an Error in the place of the first thing that is no answer. */
  readonly answers: readonly (Answer | Error)[];
}

/** How a conversation goes. */
export interface ConversationOptions {
  /** The answers that are awaited before the client stops sending; 1 unless told. */
  readonly answers?: number;
  /** Whether the answers have no body, as those to HEAD. */
  readonly head?: boolean;
}

/**
 * How long a connection may go on before it counts as hanging: far beyond every time limit but the largest.
 */
const HANG_MS = 40_000;
/** How long the client listens for an answer too many, or for any where none is due. */
const QUIET_MS = 100;

/**
 * Sends bytes over a connection of its own, waits for the answers that are due, listens a little for more,
 * stops sending and reads until the server closes. Rejects when the server does not close.
 */
export async function converse(
  port: number,
  bytes: Buffer | string | readonly (Buffer | string)[],
  { answers: due = 1, head = false }: ConversationOptions = {},
): Promise<Conversation> {
  const client = await openRawClient(port);
  const chunks: Buffer[] = [];
  let quiet: NodeJS.Timeout | undefined;
  const listenOn = () => {
    clearTimeout(quiet);
    quiet = setTimeout(() => client.socket.end(), QUIET_MS);
  };
  client.socket.on('data', (chunk) => {
    chunks.push(chunk);
    if (readAnswers(Buffer.concat(chunks), head).length >= due) listenOn();
  });
  const state = { hangs: false };
  const hang = setTimeout(() => {
    state.hangs = true;
    client.close();
  }, HANG_MS);
  try {
    const parts = typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes;
    for (const [i, part] of parts.entries()) {
      // Parts arrive as separate reads, or the split would not be one.
      if (i > 0) await new Promise((next) => setTimeout(next, 15));
      if (client.socket.writable) client.send(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
    }
    if (due === 0) listenOn();
    await client.ended();
    if (state.hangs) throw new Error('the server neither answered nor closed the connection');
    const all = Buffer.concat(chunks);
    return { bytes: all, answers: readAnswers(all, head) };
  } finally {
    clearTimeout(hang);
    clearTimeout(quiet);
    client.close();
  }
}
