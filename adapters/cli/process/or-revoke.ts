import { failure, messageOf } from './errors.ts';

/**
 * Prints the secret of a new key. If it cannot be printed, as on a full disk, the key is revoked, because it
 * would be valid although its secret was never seen.
 */
export async function orRevoke(print: () => Promise<void>, revoke: () => Promise<unknown>): Promise<void> {
  try {
    await print();
  } catch (error) {
    await revoke();
    throw failure(`the secret cannot be printed, so the key was revoked: ${messageOf(error)}`);
  }
}
