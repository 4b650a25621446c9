import { readAtMost } from '../../../src/store-kit.ts';

/** The text of an answer; undefined if it has more than `bytesMax` bytes. Rejects for one that breaks off. */
export async function answerText(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<string | undefined> {
  const bytes = await readAtMost(body?.getReader(), bytesMax);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
}
