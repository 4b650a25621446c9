import { changeJsonText, readAtMost } from '../../src/store-kit.ts';

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

/** A number of JSON, whole. */
const NUMBER = /\d[\d.e+-]*/g;

/**
 * A value as JSON, with the whole numbers from 2^53 on in all their digits. `JSON.stringify` ends them in
 * zeros, which is another number, and a server refuses it. Undefined for what is no JSON.
 */
export function toExactJson(
  value: unknown,
  replacer?: (key: string, value: unknown) => unknown,
): string | undefined {
  const json = JSON.stringify(value, replacer) as string | undefined;
  if (json === undefined || !/\d{16}/.test(json)) return json;
  const exact = (number: string) => (/^\d{16,}$/.test(number) ? BigInt(Number(number)).toString() : number);
  return changeJsonText(json, { betweenStrings: (text) => text.replace(NUMBER, exact) });
}
