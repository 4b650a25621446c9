import { readAtMost } from '../../src/store-kit.ts';

/** A provider answers with some KiB: metadata, tokens, keys, and the claims of one user. */
const ANSWER_BYTES_MAX = 1_048_576;

/** Like `fetch`, but it follows no redirect, and an answer of more than 1 MiB fails as a broken one. */
export async function providerFetch(url: string | URL, init?: object): Promise<Response> {
  const answer = await fetch(url, { ...init, redirect: 'manual' });
  const bytes = await readAtMost(answer.body?.getReader(), ANSWER_BYTES_MAX);
  if (bytes === undefined) throw new TypeError(`it answered with more than ${ANSWER_BYTES_MAX} bytes`);
  const { status, headers } = answer;
  return new Response(answer.body === null ? null : bytes, { status, headers });
}
