/** The orders of users that are not those of their IDs, with the words for them. */
export const USER_ORDERS = [
  ['events', 'most events first'],
  ['last', 'latest last event first'],
  ['first', 'latest first event first'],
] as const;

/** An order of users; empty for that of their IDs. */
export type UserOrder = (typeof USER_ORDERS)[number][0] | '';

/** Whether a text names an order of figures. */
export const isUserOrder = (text: string): text is Exclude<UserOrder, ''> =>
  USER_ORDERS.some(([each]) => each === text);

/** The longest text for which users are searched. */
export const SEARCH_LENGTH_MAX = 256;
