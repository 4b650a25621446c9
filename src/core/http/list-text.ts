import { whileReserved } from '../bounds/while-reserved.ts';
import type { MemoryBudget } from '../bounds/memory-budget.ts';
import type { HttpResponse } from './message.ts';
import type { Call } from './operation.ts';

/** How long the text of a piece is, about. */
const PIECE_LENGTH = 524_288;

/** What an item takes beside its own texts. */
const ITEM_BYTES = 256;

/** An answer that is a list, or has one. */
export interface ListAnswer {
  /** What stands before the items. */
  readonly before: string;
  readonly items: readonly unknown[];
  /** What stands behind them. */
  readonly behind: string;
  /** How long the texts of all items are together, in units of UTF-16. */
  readonly length: number;
}

/** Answers a tenant with a list as one line of JSON. */
export type WriteList = (call: Call, tenantId: string, answer: ListAnswer) => HttpResponse;

/** Makes a writer: a short list leaves as one text, a longer one in pieces, booked before any is made. */
export function createListWriter({ memory }: { readonly memory: MemoryBudget }): WriteList {
  return ({ headers }, tenantId, answer) => {
    const { items, length } = answer;
    const pieces = piecesOf(answer);
    if (length < PIECE_LENGTH) return { status: 200, headers, body: [...pieces].join('') };
    // A character has two bytes at most.
    const bytes = length * 2 + items.length * ITEM_BYTES;
    return { status: 200, headers, body: whileReserved(memory.reservation(tenantId), bytes, pieces) };
  };
}

/** The text of a list, in pieces that end between two items. */
function* piecesOf({ before, items, behind }: ListAnswer): Generator<string> {
  let piece = before;
  for (const [i, item] of items.entries()) {
    piece += `${i === 0 ? '' : ','}${JSON.stringify(item)}`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}${behind}\n`;
}
