import { ApiError } from '../../base/errors.ts';
import { textOfBase64 } from '../base64.ts';
import { KEYED_BODY_BYTES_MAX } from '../request.ts';

const FIELD = 'data=';

/**
 * The JSON in a body, which some web SDKs put into the field `data` of a form, or write as Base64. Such a
 * body is a beacon, so it has at most 1 MiB, since its memory is needed twice. Throws ApiError: 400, 413.
 */
export function unwrapText(text: string, isBase64: boolean): string {
  const isForm = text.startsWith(FIELD);
  if (!isForm && !isBase64) return text;
  if (text.length > KEYED_BODY_BYTES_MAX) throw new ApiError('bodyTooLarge', [KEYED_BODY_BYTES_MAX]);
  const value = isForm ? valueOf(text) : text;
  if (!isBase64) return value;
  // A plus sign that was not escaped is a space in a form.
  const decoded = textOfBase64(value.replaceAll(' ', '+'));
  if (decoded === undefined) throw new ApiError('unreadableBody', ['it is not Base64 of UTF-8']);
  return decoded;
}

/** The value of the field `data`, which is the first one. */
function valueOf(form: string): string {
  const [value = ''] = form.slice(FIELD.length).split('&', 1);
  try {
    return decodeURIComponent(value.replaceAll('+', ' '));
  } catch {
    throw new ApiError('unreadableBody', ['its form is not UTF-8']);
  }
}
