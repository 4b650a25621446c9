export { ALGORITHMS } from './algorithms.ts';
export type { ToFault } from './faults.ts';
export type { KeySet } from './key-set.ts';
export { createKeySets, type KeySetOptions, type KeySets } from './key-sets.ts';
export { parsePublicKey } from './parse-public-key.ts';
export { publicKeyAlgorithms } from './public-keys.ts';
export { joseTokenVerifier, type JoseTokenVerifierOptions } from './token-verifier.ts';
