import { hash, randomBytes, randomUUID } from 'node:crypto';
import type { Runtime } from '../../src/index.ts';

/** The time and chance of this machine. */
export function nodeRuntime(): Runtime {
  return {
    now: () => Date.now(),
    uuid: () => randomUUID(),
    randomBytes: (length) => randomBytes(length),
    sha256: (text) => hash('sha256', text),
  };
}
