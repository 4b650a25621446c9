import { connect } from 'node:net';

/** What came back over one connection. */
export interface Conversation {
  readonly bytes: Buffer;
  /** The answers in it; an Error in the place of the first thing that is no answer. */
  readonly answers: readonly (Answer | Error)[];
}

/** One answer of HTTP, read by the letter. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendOptions {
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
export function converse(
  port: number,
  bytes: Buffer | string | readonly (Buffer | string)[],
  { answers: due = 1, head = false }: SendOptions = {},
): Promise<Conversation> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const chunks: Buffer[] = [];
    let timer: NodeJS.Timeout | undefined;
    const hang = setTimeout(() => {
      socket.destroy();
      reject(new Error('the server neither answered nor closed the connection'));
    }, HANG_MS);
    const listenOn = () => {
      clearTimeout(timer);
      timer = setTimeout(() => socket.end(), QUIET_MS);
    };
    const settle = () => {
      clearTimeout(hang);
      clearTimeout(timer);
      const all = Buffer.concat(chunks);
      resolve({ bytes: all, answers: readAnswers(all, head) });
    };
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      if (readAnswers(Buffer.concat(chunks), head).length >= due) listenOn();
    });
    socket.on('end', () => socket.end());
    // The server may reset a connection on which it has not read everything; what came before counts.
    socket.on('error', () => undefined);
    socket.on('close', settle);
    socket.on('connect', () => {
      void writeAll(typeof bytes === 'string' || Buffer.isBuffer(bytes) ? [bytes] : bytes).then(() => {
        if (due === 0) listenOn();
      });
    });
    async function writeAll(parts: readonly (Buffer | string)[]): Promise<void> {
      for (const [i, part] of parts.entries()) {
        // Parts arrive as separate reads, or the split would not be one.
        if (i > 0) await new Promise((next) => setTimeout(next, 15));
        if (socket.writable) socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part);
      }
    }
  });
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+$/;
const HEADER_LINE = /^([A-Za-z0-9-]+): ([\x20-\x7e]*)$/;

/** Reads as many answers as there are, strictly: what a lenient reader would accept is an Error here. */
export function readAnswers(bytes: Buffer, head = false): (Answer | Error)[] {
  const answers: (Answer | Error)[] = [];
  let at = 0;
  while (at < bytes.length) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end === -1) return [...answers, new Error(`a head without end: ${clip(bytes.subarray(at))}`)];
    const parsed = readHead(bytes.subarray(at, end).toString('latin1'));
    if (parsed instanceof Error) return [...answers, parsed];
    at = end + 4;
    if (parsed.status >= 100 && parsed.status < 200) continue;
    const length = parsed.status === 204 || head ? 0 : Number(parsed.headers['content-length'] ?? NaN);
    if (!Number.isInteger(length)) return [...answers, new Error('an answer without a length')];
    if (at + length > bytes.length) return answers.length === 0 && bytes.length === 0 ? [] : answers;
    answers.push({ ...parsed, body: bytes.subarray(at, at + length).toString('utf8') });
    at += length;
  }
  return answers;
}

function readHead(text: string): Omit<Answer, 'body'> | Error {
  const [first = '', ...lines] = text.split('\r\n');
  const status = STATUS_LINE.exec(first)?.[1];
  if (status === undefined) return new Error(`no status line: ${first.slice(0, 80)}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const match = HEADER_LINE.exec(line);
    if (match === null) return new Error(`no header line: ${line.slice(0, 80)}`);
    const name = match[1]!.toLowerCase();
    if (Object.hasOwn(headers, name)) return new Error(`the header ${name} twice`);
    headers[name] = match[2]!;
  }
  return { status: Number(status), headers };
}

function clip(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 80).toString('latin1'));
}
