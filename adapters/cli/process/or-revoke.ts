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

/** Prints a new secret before it is stored. If it cannot be printed, the key keeps those that it has. */
export async function orNothing(print: () => Promise<void>): Promise<void> {
  try {
    await print();
  } catch (error) {
    throw failure(`the secret cannot be printed, so nothing was changed: ${messageOf(error)}`);
  }
}
