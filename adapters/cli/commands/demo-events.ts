import type { EventInput } from '../../../src/index.ts';

/** The number of sample events. */
export const DEMO_EVENTS_COUNT = 5000;

const MONTH_MS = 30 * 86_400_000;
const VISITORS = 600;

const PRODUCTS = [
  { sku: 'MUG-01', name: 'Stoneware mug', category: 'kitchen', price: 14.5, tags: ['ceramic', 'gift'] },
  { sku: 'MUG-02', name: 'Enamel mug', category: 'kitchen', price: 11, tags: ['outdoor'] },
  { sku: 'POT-01', name: 'Teapot, 1 l', category: 'kitchen', price: 39.9, tags: ['ceramic', 'gift', 'tea'] },
  { sku: 'GRI-01', name: 'Kaffeemühle', category: 'kitchen', price: 64, tags: ['coffee'] },
  { sku: 'LMP-01', name: 'Desk lamp', category: 'home', price: 79, tags: ['light', 'office'] },
  { sku: 'BLK-01', name: 'Wool blanket', category: 'home', price: 89.5, tags: ['wool', 'gift'] },
  { sku: 'CDL-01', name: 'Beeswax candle', category: 'home', price: 7.25, tags: ['gift'] },
  { sku: 'NTB-01', name: 'Dotted notebook', category: 'paper', price: 12, tags: ['office'] },
  { sku: 'PEN-01', name: 'Fountain pen', category: 'paper', price: 32, tags: ['office', 'gift'] },
  { sku: 'CRD-01', name: 'Cards, set of 8', category: 'paper', price: 9.8, tags: [] },
] as const;
const PAGES = ['/', '/new', '/sale', '/about', '/kitchen', '/home', '/paper', '/shipping'];
const SEARCHES = ['mug', 'gift', 'tea pot', 'lamp', '100% wool', 'birthday card', 'crème brûlée'];
const SOURCES = ['direct', 'search', 'newsletter', 'social', 'partner'];
const COUNTRIES = ['DE', 'DE', 'DE', 'AT', 'CH', 'FR', 'NL', 'GB'];

type Product = (typeof PRODUCTS)[number];
type DemoProperties = Record<string, unknown>;

/** A seeded random number generator. */
interface Dice {
  /** An integer from 0 to `n - 1`. */
  below(n: number): number;
  /** True with a probability of `percent` in 100. */
  chance(percent: number): boolean;
  pick<T>(from: readonly T[]): T;
}

/** Mulberry32: small, and the same seed gives the same numbers on every machine. */
function createDice(seed: number): Dice {
  let state = seed | 0;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 4_294_967_296;
  };
  const below = (n: number) => Math.floor(next() * n);
  return { below, chance: (percent) => next() * 100 < percent, pick: (from) => from[below(from.length)]! };
}

interface DemoEvent {
  readonly eventName: string;
  readonly userId: string;
  readonly eventTs: number;
  readonly properties: DemoProperties;
}

/**
 * Makes the sample events of a small shop for the 30 days before `now` (epoch milliseconds), oldest first:
 * visitors browse, fill a cart, and abandon it or check out. The same `now` and `seed` give the same events.
 */
export function demoEvents(now: number, seed: number): EventInput[] {
  const dice = createDice(seed);
  const drafts: DemoEvent[] = [];
  while (drafts.length < DEMO_EVENTS_COUNT) {
    const visit = toVisit(dice, startOfVisit(dice, now)).filter(({ eventTs }) => eventTs <= now);
    // The last visit may be cut short; real visits end early too.
    drafts.push(...visit.slice(0, DEMO_EVENTS_COUNT - drafts.length));
  }
  // The sort is stable, so steps of a visit with the same timestamp keep their order.
  return drafts
    .sort((a, b) => a.eventTs - b.eventTs)
    .map((draft, i) => ({ ...draft, insertId: `demo-${String(i + 1).padStart(5, '0')}` }));
}

/** Visits are spread over the month, with half as many between midnight and six. */
function startOfVisit(dice: Dice, now: number): number {
  const start = now - dice.below(MONTH_MS);
  const night = new Date(start).getUTCHours() < 6;
  return night && dice.chance(50) ? startOfVisit(dice, now) : start;
}

/** Makes the events of one visit. */
function toVisit(dice: Dice, start: number): DemoEvent[] {
  const number = dice.below(VISITORS);
  // Every third visitor has an account with a plan; the events of the others have no plan property.
  const member = number % 3 === 0;
  const userId = `${member ? 'customer' : 'visitor'}-${String(number).padStart(4, '0')}`;
  const always: DemoProperties = {
    country: dice.pick(COUNTRIES),
    device: toDevice(dice),
    ...(member ? { plan: (['free', 'free', 'plus', 'pro'] as const)[number % 4] } : {}),
  };
  const drafts: DemoEvent[] = [];
  let eventTs = start;
  const add = (eventName: string, properties: DemoProperties) => {
    drafts.push({ eventName, userId, eventTs, properties: { ...always, ...properties } });
    eventTs += 2000 + dice.below(90_000);
  };
  const source = dice.pick(SOURCES);
  const campaign = source === 'newsletter' ? `mail-${1 + dice.below(4)}` : null;
  add('visit_started', { referrer: { source, campaign }, returning: dice.chance(40) });
  browse(dice, add);
  return drafts;
}

type Add = (eventName: string, properties: DemoProperties) => void;

function toDevice(dice: Dice): DemoProperties {
  if (dice.chance(55))
    return { type: 'phone', os: dice.pick(['Android', 'iOS']), screen: { width: 390, height: 844 } };
  if (dice.chance(20)) return { type: 'tablet', os: 'iOS', screen: { width: 820, height: 1180 } };
  return {
    type: 'desktop',
    os: dice.pick(['Windows', 'macOS', 'Linux']),
    screen: { width: 1920, height: 1080 },
  };
}

function browse(dice: Dice, add: Add): void {
  for (let i = dice.below(3); i >= 0; i--)
    add('page_viewed', { page: dice.pick(PAGES), loadMs: 80 + dice.below(1500) });
  if (dice.chance(30)) add('search_performed', { query: dice.pick(SEARCHES), results: dice.below(9) });
  const cart: Product[] = [];
  for (let i = dice.below(4); i > 0; i--) {
    const product = dice.pick(PRODUCTS);
    add('product_viewed', { product });
    if (!dice.chance(45)) continue;
    cart.push(product);
    add('cart_item_added', { product, cart: toCart(cart) });
  }
  if (cart.length > 1 && dice.chance(20)) {
    const product = cart.pop();
    add('cart_item_removed', { product, cart: toCart(cart) });
  }
  if (cart.length > 0 && dice.chance(65)) checkOut(dice, add, cart);
  else if (dice.chance(6))
    add('newsletter_subscribed', { topics: ['news', ...(dice.chance(50) ? ['sale'] : [])] });
}

function checkOut(dice: Dice, add: Add, cart: readonly Product[]): void {
  const coupon = dice.chance(25) ? dice.pick(['WELCOME10', 'SPRING_5%']) : null;
  add('checkout_started', { cart: toCart(cart), coupon });
  if (dice.chance(30)) return;
  const payment = { method: dice.pick(['card', 'card', 'paypal', 'invoice']), ok: !dice.chance(8) };
  add('payment_entered', { payment });
  if (!payment.ok) return;
  const { total } = toCart(cart);
  const order = { number: `O-${100_000 + dice.below(900_000)}`, items: cart.length, total, currency: 'EUR' };
  add('order_placed', { order, skus: cart.map(({ sku }) => sku), coupon, express: dice.chance(15) });
  if (dice.chance(10)) add('review_written', { product: cart[0], stars: 1 + dice.below(5), text: null });
}

function toCart(cart: readonly Product[]): { items: number; total: number; skus: string[] } {
  // Add up integer cents, which is exact.
  const cents = cart.reduce((sum, { price }) => sum + Math.round(price * 100), 0);
  return { items: cart.length, total: cents / 100, skus: cart.map(({ sku }) => sku) };
}
