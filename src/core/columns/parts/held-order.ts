import type { OrderedRows } from '../order/held-rows.ts';
import type { Order } from '../order/order.ts';
import type { QuestionTools } from '../sources/question.ts';
import type { Soon } from '../../base/soon.ts';

/** The order, and its rows that one question is about. */
export interface HeldOrder {
  readonly order: Order;
  readonly held: OrderedRows;
}

/** The first `size` rows in order, or those that it has where these are more, for this question alone. */
export function holdRows(order: Order, size: number, question: QuestionTools): Soon<HeldOrder> {
  return order.covered < size ? holdNew(order, size, question) : keepHeld(order, order.hold(), question);
}

async function holdNew(order: Order, size: number, question: QuestionTools): Promise<HeldOrder> {
  const own = keepHeld(order, await order.holdAt(size, question.pacer), question);
  await order.save(question.pacer);
  return own;
}

function keepHeld(order: Order, held: OrderedRows, { atEnd }: QuestionTools): HeldOrder {
  atEnd(() => order.release(held));
  return { order, held };
}
