import { readAtMost } from '../../src/store-kit.ts';

/**
 * Reads the text of an answer; undefined if it has more than `bytesMax` bytes. Rejects for one that breaks
 * off or is no UTF-8.
 */
export async function readText({ body }: Response, bytesMax: number): Promise<string | undefined> {
  const bytes = await readAtMost(body?.getReader(), bytesMax);
  return bytes === undefined ? undefined : new TextDecoder('utf-8', { fatal: true }).decode(bytes);
}

/** Reads the JSON of an answer. Rejects for one that is no JSON or has more than `bytesMax` bytes. */
export async function readJson(answer: Response, bytesMax: number): Promise<unknown> {
  const text = await readText(answer, bytesMax);
  if (text === undefined) throw new RangeError(`the answer has more than ${bytesMax} bytes`);
  return JSON.parse(text);
}
