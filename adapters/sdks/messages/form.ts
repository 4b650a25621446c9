import { ApiError, type Pacer } from '../../../src/index.ts';
import { fieldOf } from '../../../src/transport-kit.ts';
import { jsonOfBase64 } from './base64.ts';

/** The largest form or Base64, in bytes: its JSON is a copy of a part of it. */
export const FORM_BYTES_MAX = 2 ** 20;

/**
 * The JSON in a body, which some web SDKs put into the field `data` of a form, or write as Base64. Such a
 * body is a beacon, so it has at most 1 MiB. Throws ApiError: 400, 413.
 */
export async function unwrapText(text: string, isBase64: boolean, pacer: Pacer): Promise<string> {
  const isForm = beginsAsForm(text);
  if (!isForm && !isBase64) return text;
  if (text.length > FORM_BYTES_MAX) throw new ApiError('bodyTooLarge', [FORM_BYTES_MAX]);
  const value = isForm ? fieldOf(text, 'data') : text;
  if (value === undefined) throw new ApiError('unreadableBody', ['its form is not UTF-8']);
  if (!isBase64) return value;
  await pacer.yieldIfDue();
  const decoded = jsonOfBase64(value);
  if (decoded === undefined) throw new ApiError('unreadableBody', ['it is not Base64 of UTF-8']);
  return decoded;
}

/** How many bytes the JSON of such a body takes beside it at most; none where the body itself is JSON. */
export function bytesOfUnwrapped(text: string, isBase64: boolean): number {
  return isBase64 || beginsAsForm(text) ? bytesOfForm(text) : 0;
}

/** How many bytes of memory what a form holds takes at most: a text, and the bytes that it is read from. */
export function bytesOfForm(form: string): number {
  return Math.min(form.length, FORM_BYTES_MAX) * 4;
}

function beginsAsForm(text: string): boolean {
  return text.startsWith('data=');
}
