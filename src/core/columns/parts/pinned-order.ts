import type { OrderSnapshot } from '../order/order-array.ts';
import type { Order } from '../order/order.ts';
import type { QuestionTools } from '../sources/question.ts';
import type { MaybePromise } from '../../base/maybe-promise.ts';

/** The order, and the snapshot of it that one question reads. */
export interface PinnedOrder {
  readonly order: Order;
  readonly pinned: OrderSnapshot;
}

/** Pins the first `size` rows in order until the question ends, or all rows if the order has more. */
export function pinOrder(order: Order, size: number, question: QuestionTools): MaybePromise<PinnedOrder> {
  return order.indexedRows < size
    ? pinGrown(order, size, question)
    : unpinAtEnd(order, order.pin(), question);
}

async function pinGrown(order: Order, size: number, question: QuestionTools): Promise<PinnedOrder> {
  const own = unpinAtEnd(order, await order.pinAt(size, question.pacer), question);
  await order.save(question.pacer);
  return own;
}

function unpinAtEnd(order: Order, pinned: OrderSnapshot, { atEnd }: QuestionTools): PinnedOrder {
  atEnd(() => order.unpin(pinned));
  return { order, pinned };
}
