import type { Runtime } from '../../src/index.ts';

/** The time and chance of any runtime with web standards: browsers, Workers, Deno, Bun, Node. */
export function webRuntime(): Runtime {
  return {
    now: () => Date.now(),
    uuid: () => crypto.randomUUID(),
    randomBytes: (length) => crypto.getRandomValues(new Uint8Array(length)),
    sha256: async (text) => {
      const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
      return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
    },
  };
}
