import { createRandom } from '../test/support/random.ts';
import { toEventView } from '../src/core/filter/predicate.ts';
import type { JsonObject } from '../src/index.ts';
import type { EventView, StoredEvent } from '../src/store-kit.ts';

/** The days that the sample events lie in, from 2026-01-01 on. */
const SAMPLE_DAYS = 90;
const SAMPLE_START_MS = Date.UTC(2026, 0, 1);
const DAY_MS = 86_400_000;

const NAMES = [
  'page_viewed',
  'product_viewed',
  'search_made',
  'cart_updated',
  'purchase',
  'signup',
  'refund',
];
const NAME_WEIGHTS = [0.46, 0.24, 0.12, 0.1, 0.05, 0.02, 0.01];
const PLANS = ['free', 'free', 'free', 'basic', 'basic', 'pro', 'team'];
const COUNTRIES = [
  'US',
  'US',
  'US',
  'DE',
  'DE',
  'GB',
  'FR',
  'IN',
  'IN',
  'BR',
  'JP',
  'NL',
  'SE',
  'PL',
  'ES',
  'IT',
];
const SYSTEMS = ['iOS', 'iOS', 'Android', 'Android', 'Android', 'Windows', 'Windows', 'macOS', 'Linux'];
const BROWSERS = ['Chrome', 'Chrome', 'Chrome', 'Safari', 'Safari', 'Firefox', 'Edge'];
const SECTIONS = ['products', 'products', 'blog', 'cart', 'checkout', 'account', 'help', 'search'];
const TAGS = [
  'new',
  'sale',
  'gift',
  'eco',
  'bundle',
  'limited',
  'clearance',
  'outlet',
  'refurbished',
  'preorder',
];
const REFERRERS = [
  'https://www.google.com/',
  'https://duckduckgo.com/',
  'https://news.example.org/daily',
  '',
];
const CAMPAIGNS = ['spring', 'newsletter-12', 'retargeting', 'partners'];
const WORDS = ['blue', 'light', 'winter', 'classic', 'urban', 'soft', 'trail', 'cotton', 'merino', 'canvas'];

/** The sample events of one shop by their number, about 390 bytes each as JSON, in order of arrival. */
export function* sampleEvents(count: number): Generator<StoredEvent> {
  const stepMs = (SAMPLE_DAYS * DAY_MS) / Math.max(count, 1);
  for (let i = 0; i < count; i++) yield sampleEvent(i, count, stepMs);
}

function sampleEvent(i: number, count: number, stepMs: number): StoredEvent {
  const generator = createRandom(i * 2_654_435_761);
  const random = () => generator.next();
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)] as T;
  const eventName = pickName(random());
  // Most events come in order; a few arrive up to an hour late, and some share a millisecond.
  const lateMs = random() < 0.05 ? random() * 3_600_000 : 0;
  const eventTs = SAMPLE_START_MS + Math.max(0, Math.floor(i * stepMs - lateMs));
  // A hundred events a user on average, and some users are far busier than others.
  const userId = `user_${Math.floor(random() ** 2 * Math.max(10, count / 100))}`;
  return {
    eventName,
    userId,
    eventTs,
    insertId: `${i.toString(16).padStart(8, '0')}-${Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0')}`,
    propertiesJson: JSON.stringify(sampleProperties(eventName, random, pick)),
  };
}

function pickName(at: number): string {
  let left = at;
  const index = NAME_WEIGHTS.findIndex((weight) => (left -= weight) < 0);
  return NAMES[Math.max(index, 0)]!;
}

function sampleProperties(
  eventName: string,
  random: () => number,
  pick: <T>(from: readonly T[]) => T,
): JsonObject {
  const section = pick(SECTIONS);
  const properties: JsonObject = {
    plan: pick(PLANS),
    country: pick(COUNTRIES),
    sessionId: `s-${Math.floor(random() * 2 ** 40).toString(36)}`,
    page: {
      path: pagePath(section, Math.floor(random() ** 2 * (section === 'products' ? 20_000 : 300))),
      referrer: pick(REFERRERS),
    },
    device: { os: pick(SYSTEMS), browser: { name: pick(BROWSERS), major: 90 + Math.floor(random() * 40) } },
    durationMs: Math.floor(random() ** 3 * 60_000),
  };
  if (random() < 0.3) properties.campaign = pick(CAMPAIGNS);
  if (eventName === 'search_made') {
    properties.search = { text: `${pick(WORDS)} ${pick(WORDS)}`, hits: Math.floor(random() * 500) };
  }
  if (eventName !== 'page_viewed' && eventName !== 'signup') {
    properties.price = Math.round(random() ** 2 * 40_000) / 100;
    properties.quantity = 1 + Math.floor(random() * 4);
    properties.tags = [pick(TAGS), pick(TAGS)];
  }
  if (random() < 0.005) properties.checkout = { coupon: { code: random() < 0.5 ? 'WELCOME10' : 'VIP25' } };
  return properties;
}

/** A page has one address: the words of a product follow from its number. */
function pagePath(section: string, page: number): string {
  const [first, second] = [WORDS[page % WORDS.length], WORDS[(page * 7 + 3) % WORDS.length]] as [
    string,
    string,
  ];
  return `/${section}/${first}-${second}-${page}`;
}

/** The sample events with their properties parsed, as a predicate sees them. */
export function sampleViews(count: number): EventView[] {
  return Array.from(sampleEvents(count), toEventView);
}
