import { peek } from './head.ts';

/** A byte that no text of UTF-8 has: a line that holds it is refused. */
const UNREADABLE = Buffer.from([0xff]);

/**
 * Turns bytes of an encoding into UTF-8. Without one, the byte order mark of UTF-16 says it. What the
 * encoding cannot read becomes a byte that is not UTF-8, so that its line is refused: no other text is made
 * of it.
 */
export async function* toUtf8(source: AsyncIterable<Buffer>, encoding?: string): AsyncGenerator<Buffer> {
  const { head, all } = await peek(source, ({ length }) => length >= 2);
  const found = encoding ?? utf16Of(head);
  if (found === undefined) {
    yield* all;
    return;
  }
  const decode = createDecode(found);
  for await (const chunk of all) yield toBytes(decode(chunk));
  yield toBytes(decode());
}

/** Makes the function that reads chunks of an encoding; without one, it reads what is left. */
function createDecode(encoding: string): (chunk?: Buffer) => string {
  let decoder = new TextDecoder(encoding);
  return (chunk) => {
    try {
      return decoder.decode(chunk, { stream: chunk !== undefined });
    } catch {
      // Node throws where bytes that GB18030 or EUC-JP cannot read lie in two chunks.
      decoder = new TextDecoder(encoding);
      return `\ufffd${decoder.decode(chunk, { stream: chunk !== undefined })}`;
    }
  };
}

/** The encoding that a byte order mark of UTF-16 names. */
function utf16Of(head: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  const mark = head.length < 2 ? 0 : head.readUInt16BE(0);
  return mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : undefined;
}

function toBytes(text: string): Buffer {
  if (!text.includes('\ufffd')) return Buffer.from(text);
  return Buffer.concat(
    text
      .split('\ufffd')
      .flatMap((part, i) => (i === 0 ? [Buffer.from(part)] : [UNREADABLE, Buffer.from(part)])),
  );
}

const JAPANESE = /[\u3040-\u30ff]|[\u4e00-\u9fff]{2}/;

/** The encoding that bytes which are no UTF-8 most likely have, for a proposal. */
export function guessEncoding(bytes: Buffer): string {
  const zeros = bytes.subarray(0, 1000).filter((byte) => byte === 0).length;
  if (zeros > 10) return bytes[0] === 0 ? 'utf-16be' : 'utf-16le';
  // The last character of the sample may be cut.
  const text = new TextDecoder('shift_jis').decode(bytes, { stream: true });
  return !text.includes('\ufffd') && JAPANESE.test(text) ? 'shift_jis' : 'windows-1252';
}
