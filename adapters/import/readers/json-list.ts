import { damage, misfit } from '../base/errors.ts';
import type { OptionWords } from '../base/options.ts';

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c];
const [OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x5b, 0x5d, 0x7b, 0x7d];
const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);
/** How `null` begins: a key without a value leaves nothing out. */
const LETTER_N = 0x6e;
/** A longer key is no name that a path has. */
const KEY_BYTES_MAX = 1000;
/** How many other lists a refusal names. */
const LISTS_SHOWN = 10;

/** Which list is read, and who hears of the keys beside it. */
export interface ListPlace {
  /** Its keys, separated by dots; a key that has the dots itself comes first. */
  readonly path: string;
  /** Is told of each other key that holds something. */
  readonly onBeside: (key: string) => void;
  readonly words: OptionWords;
}

/**
 * The bytes of a list within an object, as an array of its own. Of several objects, such as the pages of an
 * API, it is one array of all their items. What stands beside the list is counted. Holds no more than a key
 * in memory. Throws an Error when an object has no end, and when there is no such list.
 */
export async function* toListBytes(source: AsyncIterable<Buffer>, place: ListPlace): AsyncGenerator<Buffer> {
  const keys = place.path.split('.');
  const otherLists = new Set<string>();
  // How many objects and arrays are open, and how many keys of the path led to the innermost one.
  let [depth, matched] = [0, 0];
  // The depth of the items' list while one is read.
  let listDepth = 0;
  let [isWithinText, isEscaped, isKeyNext, isTold, hasList] = [false, false, false, false, false];
  let [hasBegun, key] = [false, ''];
  let keyBytes: number[] | undefined;
  const isOnPath = () => listDepth === 0 && depth === matched + 1;
  const nameOf = (name: string) => [...keys.slice(0, matched), name].join('.');
  const tell = () => {
    if (!isTold && isOnPath() && !isKeyNext) place.onBeside(nameOf(key));
    isTold = true;
  };
  for await (const chunk of source) {
    let start = 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (isWithinText) {
        if (byte === QUOTE && !isEscaped) {
          isWithinText = false;
          if (keyBytes !== undefined) key = toKey(keyBytes);
          keyBytes = undefined;
        } else if (keyBytes !== undefined && keyBytes.length < KEY_BYTES_MAX) keyBytes.push(byte);
        isEscaped = byte === BACKSLASH && !isEscaped;
      } else if (depth === 0) {
        if (BLANKS.has(byte)) continue;
        // A byte order mark may stand before the first object.
        if (byte !== OPEN_OBJECT && !hasBegun) continue;
        if (byte !== OPEN_OBJECT) throw damage('something that is no object follows the JSON object');
        hasBegun = true;
        [depth, isKeyNext] = [1, true];
      } else if (byte === QUOTE) {
        isWithinText = true;
        if (isOnPath() && isKeyNext) keyBytes = [];
        else tell();
      } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
        const rest = keys.slice(matched);
        const isHere = isOnPath() && !isKeyNext;
        if (isHere && byte === OPEN_ARRAY && key === rest.join('.')) {
          listDepth = depth + 1;
          start = i + 1;
          yield Buffer.from(hasList ? ',' : '[');
          hasList = true;
        } else if (isHere && byte === OPEN_OBJECT && rest.length > 1 && key === rest[0]) {
          matched += 1;
          isKeyNext = true;
        } else {
          if (isHere && byte === OPEN_ARRAY && otherLists.size < LISTS_SHOWN) otherLists.add(nameOf(key));
          tell();
        }
        depth += 1;
      } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
        if (depth === listDepth) {
          yield chunk.subarray(start, i);
          listDepth = 0;
        }
        depth -= 1;
        matched = Math.max(0, Math.min(matched, depth - 1));
        isTold = true;
      } else if (isOnPath() && byte === COMMA) isKeyNext = true;
      else if (isOnPath() && byte === COLON) [isKeyNext, isTold] = [false, false];
      else if (byte === LETTER_N) isTold ||= isOnPath();
      else if (!BLANKS.has(byte)) tell();
    }
    if (listDepth > 0) yield chunk.subarray(start);
  }
  if (depth > 0) throw damage('the JSON object ends too early: the file is cut');
  if (!hasList) throw noList(place, [...otherLists]);
  yield Buffer.from(']');
}

function noList({ path, words }: ListPlace, others: readonly string[]): Error {
  const list = words.option('list');
  const known =
    others.length === 0
      ? `; import without ${list} names those that it has`
      : `; it has ${others.join(', ')}`;
  return misfit(`${list} ${path}: the file has no such list${known}`);
}

function toKey(bytes: readonly number[]): string {
  const text = Buffer.from(bytes).toString('utf8');
  try {
    return String(JSON.parse(`"${text}"`));
  } catch {
    return text;
  }
}
