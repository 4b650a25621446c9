import { isApiError } from '../../src/index.ts';
import {
  beginsAsGzip,
  beginsAsJson,
  bodyIsTaken,
  createBodyParts,
  judgeHead,
  unreadableBody,
  withOwnBytes,
  type BodyBounds,
  type BodyParts,
} from '../../src/transport-kit.ts';

/** How the body of a request is read. */
export interface BodyReading extends BodyBounds {
  /** Releases reserved memory. */
  readonly release: (bytes: number) => void;
  /** Called with how many bytes of the body were read. */
  readonly note: (bytes: number) => void;
}

type Bytes = Uint8Array<ArrayBuffer>;

/** Reads the body of a request as `HttpRequest.text` specifies. */
export async function readText(request: Request, given: BodyReading): Promise<string> {
  const reading = withOwnBytes(given);
  const header = (name: string) => request.headers.get(name) ?? undefined;
  const head = judgeHead({ header }, reading.bytesMax);
  if (request.bodyUsed || request.body?.locked === true) throw bodyIsTaken();
  const parts = createBodyParts<Bytes>(reading);
  await collect(request.body, parts)
    .catch((error: unknown) => {
      throw isApiError(error) ? error : unreadableBody('end');
    })
    .finally(() => reading.note(parts.bytes));
  const wire = joined(parts);
  const gzipped = beginsAsGzip(parts.parts) || (head.gzipped && !beginsAsJson(parts.parts));
  if (!gzipped) return decode(wire, reading);
  const unpacked = await gunzip(wire, reading);
  reading.release(wire.length);
  return decode(unpacked, reading);
}

/** Reads a stream to its end. When a chunk is refused, it cancels the stream and throws the refusal. */
async function collect(body: ReadableStream<Bytes> | null, parts: BodyParts<Bytes>): Promise<void> {
  if (body === null) return;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const refusal = parts.take(value);
    if (refusal === undefined) continue;
    // An error of the cancellation does not matter any more.
    void reader.cancel(refusal).catch(() => undefined);
    throw refusal;
  }
}

async function gunzip(wire: Bytes, reading: BodyReading): Promise<Bytes> {
  const parts = createBodyParts<Bytes>(reading, wire.length);
  await collect(unpack(wire), parts).catch((error: unknown) => {
    throw isApiError(error) ? error : unreadableBody('gzip');
  });
  const unpacked = joined(parts);
  if (!endsWithLength(wire, unpacked.length) && (await isWhole(wire.subarray(0, -1)))) {
    throw unreadableBody('rest');
  }
  return unpacked;
}

function unpack(wire: Bytes): ReadableStream<Bytes> {
  return new Response(wire).body!.pipeThrough(new DecompressionStream('gzip'));
}

/** Whether gzip data ends with its unpacked length, as a single member with nothing after it does. */
function endsWithLength(wire: Bytes, length: number): boolean {
  const stated = new DataView(wire.buffer, wire.byteOffset, wire.length).getUint32(wire.length - 4, true);
  return length > 0 && stated === length;
}

/**
 * Whether bytes are complete gzip data. Some runtimes ignore zeros after the last member, so the caller asks
 * about the data without its last byte: if that is still complete, there was a trailing byte. Unpacking is
 * safe here, because the same data was unpacked within its bounds before.
 */
async function isWhole(wire: Bytes): Promise<boolean> {
  return unpack(wire)
    .pipeTo(new WritableStream())
    .then(
      () => true,
      () => false,
    );
}

/** Decodes reserved bytes as UTF-8. It reserves for the text too while both are in memory. */
function decode(bytes: Bytes, { book, release, refusal }: BodyReading): string {
  if (!book(bytes.length)) throw refusal();
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw unreadableBody('text');
  } finally {
    release(bytes.length);
  }
}

function joined({ parts, bytes }: BodyParts<Bytes>): Bytes {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(bytes);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
