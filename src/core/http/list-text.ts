import { whileReserved } from '../bounds/while-reserved.ts';
import { exactJson } from '../event/exact-json.ts';
import type { MemoryBudget } from '../bounds/memory-budget.ts';
import type { HttpResponse } from './message.ts';
import type { Call } from './operation.ts';

/** The approximate length of a piece, in characters. */
const PIECE_LENGTH = 524_288;

/** The approximate memory of an item besides its own texts, in bytes. */
const ITEM_BYTES = 256;

/** An answer that is a list or contains one. */
export interface ListAnswer {
  /** The text before the items. */
  readonly before: string;
  readonly items: readonly unknown[];
  /** The text after the items. */
  readonly behind: string;
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
  return ({ headers, notes }, tenantId, answer) => {
    const { items, length } = answer;
    notes.rows = items.length;
    const pieces = listPieces(answer);
    if (length < PIECE_LENGTH) return { status: 200, headers, body: [...pieces].join('') };
    // A UTF-16 code unit takes at most two bytes.
    const bytes = length * 2 + items.length * ITEM_BYTES;
    return { status: 200, headers, body: whileReserved(memory.reservation(tenantId), bytes, pieces) };
  };
}

/** The text of a list, in pieces that end between two items. */
function* listPieces({ before, items, behind }: ListAnswer): Generator<string> {
  let piece = before;
  for (const [i, item] of items.entries()) {
    piece += `${i === 0 ? '' : ','}${exactJson(JSON.stringify(item))}`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}${behind}\n`;
}
