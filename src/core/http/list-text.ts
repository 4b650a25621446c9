import { invalid } from '../base/errors.ts';
import { whileReserved } from '../bounds/while-reserved.ts';
import { exactJson } from '../event/exact-json.ts';
import type { Scalar } from '../filter/operands.ts';
import type { MemoryBudget } from '../bounds/memory-budget.ts';
import type { HttpResponse } from './message.ts';
import type { Call } from './operation.ts';

/** The approximate length of a piece, in characters. */
const PIECE_LENGTH = 524_288;

/** The approximate memory of an item besides its own texts, in bytes. */
const ITEM_BYTES = 256;

/** An answer that is a list or contains one. */
export interface ListAnswer {
  /** How many items it has. */
  readonly rows: number;
  /** The text, in parts of which none is much longer than an item. */
  readonly texts: Iterable<string>;
  /** The total length of the items' texts, in UTF-16 code units. */
  readonly length: number;
}

/** Writes a list as one line of JSON; its memory counts for the tenant. */
export type WriteList = (call: Call, tenantId: string, answer: ListAnswer) => HttpResponse;

/**
 * Makes a writer that sends a short list as one text and a longer one in pieces. It reserves the memory of a
 * longer list before it makes the first piece.
 */
export function createListWriter({ memory }: { readonly memory: MemoryBudget }): WriteList {
  return ({ headers, notes }, tenantId, { rows, texts, length }) => {
    notes.rows = rows;
    const pieces = listPieces(texts);
    if (length < PIECE_LENGTH) return { status: 200, headers, body: [...pieces].join('') };
    // A UTF-16 code unit takes at most two bytes.
    const bytes = length * 2 + rows * ITEM_BYTES;
    return { status: 200, headers, body: whileReserved(memory.reservation(tenantId), bytes, pieces) };
  };
}

/** The parts of a text, put together to pieces. */
function* listPieces(texts: Iterable<string>): Generator<string> {
  let piece = '';
  for (const text of texts) {
    piece += text;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}\n`;
}

/** The largest answer with groups or users, as the number of characters in their keys. */
const KEYS_LENGTH_MAX = 67_108_864;

/**
 * How many characters the keys of groups have. Throws ApiError (400) if they are too many for one answer;
 * `where` is the key of the body by which fewer are asked for.
 */
export function keysLength(groups: readonly { readonly key: Scalar }[], where = 'size'): number {
  const length = groups.reduce((sum, { key }) => sum + String(key).length, 0);
  if (length > KEYS_LENGTH_MAX) throw invalid(where, 'these keys are too long for one answer; ask for fewer');
  return length;
}

/** The text of an array, item by item. */
export function* arrayTexts<T>(
  items: readonly T[],
  textsOf: (item: T) => Iterable<string>,
): Generator<string> {
  yield '[';
  for (const [i, item] of items.entries()) {
    if (i > 0) yield ',';
    yield* textsOf(item);
  }
  yield ']';
}

/** A value as JSON, whose numbers are exact, in one part. */
export function* wholeText(value: unknown): Generator<string> {
  yield exactJson(JSON.stringify(value));
}
