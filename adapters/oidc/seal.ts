import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/** Encrypts texts that are kept outside the process, in a browser or with a stored session. */
export interface Seal {
  /** Encrypts a text for one use; it opens only for the same use. */
  close(text: string, use: string): string;
  /** Decrypts a text; undefined when the secret or the use differs, or the text was changed. */
  open(sealed: string, use: string): string | undefined;
}

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Makes a seal with AES-256-GCM; its key is derived from a secret of any length. */
export function createSeal(secret: string): Seal {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'event-query sign-in', KEY_BYTES));
  return {
    close: (text, use) => {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(CIPHER, key, iv).setAAD(Buffer.from(use));
      const parts = [iv, cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url');
    },
    open: (sealed, use) => {
      const bytes = Buffer.from(sealed, 'base64url');
      if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
      const end = bytes.length - TAG_BYTES;
      try {
        const cipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(use))
          .setAuthTag(bytes.subarray(end));
        return cipher.update(bytes.subarray(IV_BYTES, end), undefined, 'utf8') + cipher.final('utf8');
      } catch {
        return undefined;
      }
    },
  };
}
