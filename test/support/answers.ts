/** One answer of HTTP, read by the letter. */
export interface Answer {
  readonly status: number;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer and where the next one begins. */
interface Read {
  readonly answer: Answer;
  readonly end: number;
}

const STATUS_LINE = /^HTTP\/1\.1 (\d{3}) [A-Za-z -]+$/;
const HEADER_LINE = /^([A-Za-z0-9-]+): ([\x20-\x7e]*)$/;

/**
 * Reads the answer that begins at a place, strictly: what a lenient reader would accept is an Error here;
 * undefined while it is not all there. `head` says that no body comes.
 */
export function readAnswer(bytes: Buffer, from = 0, head = false): Read | Error | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n', from);
  if (headEnd === -1) return undefined;
  const parsed = readHead(bytes.subarray(from, headEnd).toString('latin1'));
  if (parsed instanceof Error) return parsed;
  const body = readBody(bytes, headEnd + 4, parsed, head);
  if (body === undefined || body instanceof Error) return body;
  return { answer: { ...parsed, body: body.text }, end: body.end };
}

/**
 * Reads as many answers as there are, interim ones (1xx) left out; an Error in the place of the first thing
 * that is no answer.
 */
export function readAnswers(bytes: Buffer, head = false): (Answer | Error)[] {
  const answers: (Answer | Error)[] = [];
  let at = 0;
  while (at < bytes.length) {
    const read = readAnswer(bytes, at, head);
    if (read === undefined && bytes.indexOf('\r\n\r\n', at) !== -1) return answers;
    if (read === undefined) return [...answers, new Error(`a head without end: ${clip(bytes.subarray(at))}`)];
    if (read instanceof Error) return [...answers, read];
    if (read.answer.status >= 200) answers.push(read.answer);
    at = read.end;
  }
  return answers;
}

type Head = Omit<Answer, 'body'>;

function readHead(text: string): Head | Error {
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

function readBody(
  bytes: Buffer,
  at: number,
  { status, headers }: Head,
  head: boolean,
): { text: string; end: number } | Error | undefined {
  if (status < 200 || status === 204 || head) return { text: '', end: at };
  const coding = headers['transfer-encoding'];
  const length = headers['content-length'];
  if (coding !== undefined) {
    if (coding !== 'chunked') return new Error(`the transfer coding ${coding}`);
    return length === undefined ? readChunks(bytes, at) : new Error('an answer with two lengths');
  }
  if (length === undefined || !/^\d+$/.test(length)) return new Error('an answer without a length');
  const end = at + Number(length);
  return end > bytes.length ? undefined : { text: bytes.subarray(at, end).toString('utf8'), end };
}

function readChunks(bytes: Buffer, from: number): { text: string; end: number } | Error | undefined {
  const chunks: Buffer[] = [];
  for (let at = from; ;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const line = bytes.subarray(at, lineEnd).toString('latin1');
    if (!/^[0-9a-f]{1,8}$/i.test(line)) return new Error(`no size of a chunk: ${line.slice(0, 80)}`);
    const size = parseInt(line, 16);
    const end = lineEnd + 2 + size;
    if (end + 2 > bytes.length) return undefined;
    if (bytes.toString('latin1', end, end + 2) !== '\r\n') return new Error('a chunk longer than its size');
    if (size === 0) return { text: Buffer.concat(chunks).toString('utf8'), end: end + 2 };
    chunks.push(bytes.subarray(lineEnd + 2, end));
    at = end + 2;
  }
}

function clip(bytes: Buffer): string {
  return JSON.stringify(bytes.subarray(0, 80).toString('latin1'));
}
