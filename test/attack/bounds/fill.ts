import { gzipSync } from 'node:zlib';
import { Agent, request } from 'undici';
import { ATTACKER } from './flood.ts';

/** How a filling went. */
export interface Filled {
  readonly accepted: number;
  readonly rejected: number;
  readonly refused: number;
  /** How many bytes went over the wire. */
  readonly bytes: number;
  /** One report of an event that was not taken. */
  readonly reason: string;
}

const TYPE = { 'Content-Type': 'application/x-ndjson' };

/**
 * Sends batches as an anonymous sender may, each as NDJSON, gzipped where it may be; one that is refused for
 * now (429, 503) is sent again after `Retry-After`, until the time is over.
 */
export async function fill(
  origin: string,
  alias: string,
  batches: Iterable<string>,
  { lanes = 2, seconds = 300 }: { readonly lanes?: number; readonly seconds?: number } = {},
): Promise<Filled> {
  const agent = new Agent({ connections: lanes, connect: { localAddress: ATTACKER } });
  const source = batches[Symbol.iterator]();
  const endsAt = performance.now() + seconds * 1000;
  let [accepted, rejected, refused, bytes] = [0, 0, 0, 0];
  let reason = '';
  const lane = async () => {
    for (let next = source.next(); next.done !== true; next = source.next()) {
      const packed = gzipSync(next.value, { level: 1 });
      // What unpacks to a hundred times its size is refused as a bomb, so such a batch goes as it is.
      const isBomb = packed.length * 80 < next.value.length;
      const body = isBomb ? next.value : packed;
      const headers = { ...TYPE, ...(isBomb ? {} : { 'Content-Encoding': 'gzip' }) };
      for (;;) {
        if (performance.now() > endsAt) return;
        bytes += body.length;
        const url = `${origin}/v1/events/${alias}/multi`;
        const answer = await request(url, { method: 'POST', headers, body, dispatcher: agent });
        const text = await answer.body.text();
        if (answer.statusCode === 200) {
          const report = JSON.parse(text) as { accepted: number; rejected: { error?: string }[] };
          accepted += report.accepted;
          rejected += report.rejected.length;
          if (reason === '' && report.rejected.length > 0) reason = JSON.stringify(report.rejected[0]);
          break;
        }
        if (answer.statusCode === 400 && text.includes('distinct event names')) {
          // A batch of which nothing is taken.
          rejected += next.value.split('\n').length;
          reason = text;
          break;
        }
        if (answer.statusCode !== 429 && answer.statusCode !== 503)
          throw new Error(`cannot fill ${alias}: ${answer.statusCode} ${text.slice(0, 300)}`);
        refused += 1;
        const seconds = Number(answer.headers['retry-after'] ?? 1);
        await new Promise((resolve) => setTimeout(resolve, Math.min(seconds, 10) * 1000));
      }
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await agent.destroy();
  return { accepted, rejected, refused, bytes, reason };
}

/** As many events as the server takes in one batch. */
export const BATCH_EVENTS_MAX = 2000;

/** Batches of events, one JSON text a line, cut by events and by bytes as the server takes them. */
export function* toBatches(
  count: number,
  event: (i: number) => string,
  bytesMax = 9_000_000,
): Generator<string> {
  let lines: string[] = [];
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    const line = event(i);
    if (bytes + line.length > bytesMax || lines.length === BATCH_EVENTS_MAX) {
      yield lines.join('\n');
      [lines, bytes] = [[], 0];
    }
    lines.push(line);
    bytes += line.length + 1;
  }
  if (lines.length > 0) yield lines.join('\n');
}
