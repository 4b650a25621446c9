import type { CountBody, JsonObject } from '../src/index.ts';
import type { EventView } from '../src/store-kit.ts';

/** One filter in the language of each peer. */
export interface PredicateCase {
  readonly name: string;
  readonly body: CountBody;
  /** As a programmer writes it for events of this shape, whose types they know. */
  readonly handWritten: (event: EventView) => boolean;
  /** For sift, mingo and @ucast/mongo2js. */
  readonly mongo: JsonObject;
  readonly jsonLogic: unknown;
}

/** What a programmer knows of the sample events. */
interface Shop {
  plan?: string;
  country?: string;
  campaign?: string;
  price?: number;
  quantity?: number;
  durationMs?: number;
  tags?: string[];
  page?: { path?: string };
  device?: { os?: string; browser?: { name?: string; major?: number } };
}
const shop = (event: EventView): Shop => event.properties;

const read = (path: string) => ({ var: path });
const EUROPE = ['DE', 'FR', 'NL', 'SE', 'PL'];

/** Five filters of 1 to 8 conditions, from the simplest to the longest. */
export const PREDICATE_CASES: readonly PredicateCase[] = [
  {
    name: '1 condition',
    body: { filterSet: [{ property: 'properties.plan', comparison: 'EQUALS', value: 'pro' }] },
    handWritten: (event) => shop(event).plan === 'pro',
    mongo: { 'properties.plan': 'pro' },
    jsonLogic: { '===': [read('properties.plan'), 'pro'] },
  },
  {
    name: '2 conditions, a list and a range',
    body: {
      filterSet: [
        { property: 'properties.country', comparison: 'IN', value: EUROPE },
        { property: 'properties.price', comparison: 'GREATER_THAN_OR_EQUALS', value: 50 },
      ],
    },
    handWritten: (event) => {
      const { country } = shop(event);
      const inEurope =
        country === 'DE' || country === 'FR' || country === 'NL' || country === 'SE' || country === 'PL';
      return inEurope && shop(event).price! >= 50;
    },
    mongo: { 'properties.country': { $in: EUROPE }, 'properties.price': { $gte: 50 } },
    jsonLogic: {
      and: [{ in: [read('properties.country'), EUROPE] }, { '>=': [read('properties.price'), 50] }],
    },
  },
  {
    name: '3 conditions, nested',
    body: {
      filterSet: [
        { property: 'properties.device.browser.name', comparison: 'EQUALS', value: 'Firefox' },
        { property: 'properties.device.browser.major', comparison: 'LESS_THAN', value: 110 },
        { property: 'properties.page.path', comparison: 'CONTAINS', value: '/cart' },
      ],
    },
    handWritten: (event) => {
      const browser = shop(event).device?.browser;
      return (
        browser?.name === 'Firefox' && browser.major! < 110 && !!shop(event).page?.path?.includes('/cart')
      );
    },
    mongo: {
      'properties.device.browser.name': 'Firefox',
      'properties.device.browser.major': { $lt: 110 },
      'properties.page.path': { $regex: '/cart' },
    },
    jsonLogic: {
      and: [
        { '===': [read('properties.device.browser.name'), 'Firefox'] },
        { '<': [read('properties.device.browser.major'), 110] },
        { in: ['/cart', read('properties.page.path')] },
      ],
    },
  },
  {
    name: '5 conditions, any of two',
    body: {
      filterSet: [
        {
          anyOf: [
            { property: 'properties.plan', comparison: 'EQUALS', value: 'team' },
            { property: 'properties.price', comparison: 'GREATER_THAN', value: 200 },
          ],
        },
        { property: 'properties.device.os', comparison: 'NOT_EQUALS', value: 'iOS' },
        { property: 'properties.campaign', comparison: 'IS_NOT_NULL', value: null },
        { property: 'properties.durationMs', comparison: 'LESS_THAN_OR_EQUALS', value: 30_000 },
      ],
    },
    handWritten: (event) => {
      const own = shop(event);
      return (
        (own.plan === 'team' || own.price! > 200) &&
        own.device?.os !== 'iOS' &&
        own.campaign != null &&
        own.durationMs! <= 30_000
      );
    },
    mongo: {
      $or: [{ 'properties.plan': 'team' }, { 'properties.price': { $gt: 200 } }],
      'properties.device.os': { $ne: 'iOS' },
      'properties.campaign': { $ne: null },
      'properties.durationMs': { $lte: 30_000 },
    },
    jsonLogic: {
      and: [
        { or: [{ '===': [read('properties.plan'), 'team'] }, { '>': [read('properties.price'), 200] }] },
        { '!==': [read('properties.device.os'), 'iOS'] },
        { '!=': [read('properties.campaign'), null] },
        { '<=': [read('properties.durationMs'), 30_000] },
      ],
    },
  },
  {
    name: '8 conditions',
    body: {
      filterSet: [
        { property: 'eventName', comparison: 'IN', value: ['product_viewed', 'cart_updated', 'purchase'] },
        { property: 'properties.tags', comparison: 'CONTAINS', value: 'sale' },
        { property: 'properties.price', comparison: 'GREATER_THAN', value: 10 },
        { property: 'properties.price', comparison: 'LESS_THAN', value: 300 },
        { property: 'properties.plan', comparison: 'NOT_EQUALS', value: 'team' },
        { property: 'properties.device.os', comparison: 'NOT_IN', value: ['Linux', 'macOS'] },
        { property: 'properties.page.path', comparison: 'STARTS_WITH', value: '/p' },
        { property: 'properties.quantity', comparison: 'GREATER_THAN_OR_EQUALS', value: 2 },
      ],
    },
    handWritten: (event) => {
      const { eventName } = event;
      const own = shop(event);
      return (
        (eventName === 'product_viewed' || eventName === 'cart_updated' || eventName === 'purchase') &&
        !!own.tags?.includes('sale') &&
        own.price! > 10 &&
        own.price! < 300 &&
        own.plan !== 'team' &&
        own.device?.os !== 'Linux' &&
        own.device?.os !== 'macOS' &&
        !!own.page?.path?.startsWith('/p') &&
        own.quantity! >= 2
      );
    },
    mongo: {
      eventName: { $in: ['product_viewed', 'cart_updated', 'purchase'] },
      'properties.tags': 'sale',
      'properties.price': { $gt: 10, $lt: 300 },
      'properties.plan': { $ne: 'team' },
      'properties.device.os': { $nin: ['Linux', 'macOS'] },
      'properties.page.path': { $regex: '^/p' },
      'properties.quantity': { $gte: 2 },
    },
    jsonLogic: {
      and: [
        { in: [read('eventName'), ['product_viewed', 'cart_updated', 'purchase']] },
        { in: ['sale', read('properties.tags')] },
        { '>': [read('properties.price'), 10] },
        { '<': [read('properties.price'), 300] },
        { '!==': [read('properties.plan'), 'team'] },
        { '!': { in: [read('properties.device.os'), ['Linux', 'macOS']] } },
        { in: ['/p', read('properties.page.path')] },
        { '>=': [read('properties.quantity'), 2] },
      ],
    },
  },
];
