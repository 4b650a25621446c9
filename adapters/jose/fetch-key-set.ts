import { isJwksUrl, readAtMost } from '../../src/store-kit.ts';
import { parseKeySet, type KeySet } from './key-set.ts';

/** A larger key set is rejected. */
const KEY_SET_BYTES_MAX = 262_144;

/**
 * Fetches a key set (RFC 7517). Throws when the URL is not allowed for keys, when the endpoint does not
 * answer with 200 in time, or when the answer is too large or not a key set. Redirects are not followed:
 * they could lead to another scheme or into a private network.
 */
export async function fetchKeySet(url: string, timeoutMs: number): Promise<KeySet> {
  if (!isJwksUrl(url)) throw new Error('the JWKS URL is neither https nor on a loopback host');
  const init = {
    headers: { accept: 'application/json, application/jwk-set+json' },
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  } as const;
  // Only the log says why there was no answer: the person who set the URL must not learn what is behind it.
  const response = await fetch(url, init).catch((cause: unknown) => {
    throw new Error('the JWKS endpoint did not answer', { cause });
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the JWKS endpoint answered ${response.status}`);
  }
  return parseKeySet(await readText(response));
}

async function readText({ body }: Response): Promise<string> {
  try {
    const bytes = await readAtMost(body?.getReader(), KEY_SET_BYTES_MAX);
    if (bytes !== undefined) return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new Error('the JWKS endpoint sent no whole text in UTF-8', { cause });
  }
  throw new Error(`the JWKS endpoint sent more than ${KEY_SET_BYTES_MAX} bytes`);
}
