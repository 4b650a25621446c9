import type { OrderSnapshot } from '../order/order-array.ts';
import type { Order } from '../order/order.ts';
import type { QuestionTools } from '../sources/question.ts';

/** The order, and the snapshot of it that one question reads. */
export interface PinnedOrder {
  readonly order: Order;
  readonly pinned: OrderSnapshot;
}

/** Pins the first `size` rows in order until the question ends, or all rows if the order has more. */
export async function pinOrder(order: Order, size: number, question: QuestionTools): Promise<PinnedOrder> {
  if (order.indexedRows >= size) return unpinAtEnd(order, order.pin(), question);
  const own = unpinAtEnd(order, await order.pinAt(size, question.pacer), question);
  await order.save(question.pacer);
  return own;
}

function unpinAtEnd(order: Order, pinned: OrderSnapshot, { atEnd }: QuestionTools): PinnedOrder {
  atEnd(() => order.unpin(pinned));
  return { order, pinned };
}
