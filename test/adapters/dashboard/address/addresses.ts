import * as fc from 'fast-check';
import { parseAddress, type PageLocation } from '../../../../adapters/dashboard/pages/address/address.ts';
import type { Takes } from '../../../../adapters/dashboard/pages/address/filters.ts';
import { problemsOf } from '../../../../adapters/dashboard/pages/address/problems.ts';
import { COMPARISONS } from '../../../../src/core/filter/filter.ts';

/** What each comparison takes, as a server tells the pages. */
export const takes: Takes = (name) =>
  Object.hasOwn(COMPARISONS, String(name)) ? COMPARISONS[name as keyof typeof COMPARISONS].takes : undefined;

/** What is wrong with a place, in a sentence; undefined if it is a question. */
export const problemAt = (place: PageLocation): string | undefined =>
  place.unread ?? problemsOf(place, takes)[0]?.said;

/** What is wrong with parameters of the explorer. */
export const problemIn = (parameters: Readonly<Record<string, string>>): string | undefined =>
  problemAt({ ...parseAddress('#/explore/shop'), parameters: new URLSearchParams(parameters) });

/** Names and values as strangers choose them: signs of addresses and paths, of scripts, and of no ink. */
export const strangeTexts: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...['%', ',', '.', '\\', '/', '?', '#', '&', '=', '+', ' ', '"', "'", '<', '[', '{', ':', ';'],
        ...['%2C', '%25', '%zz', '__proto__', '\u202e', '\u200b', 'é'],
      ),
      fc.string({ maxLength: 3 }),
      fc.string({ unit: 'grapheme', maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

/** Filters of any shape: right ones, half ones, and groups in groups. */
const strangeFilters: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  entry: fc.oneof(
    { maxDepth: 14, depthSize: 'large' },
    fc.record(
      {
        property: fc.oneof(strangeTexts, fc.constantFrom('eventName', 'properties.a', 5, null)),
        comparison: fc.constantFrom(...Object.keys(COMPARISONS), 'constructor', 'LIKE', null),
        value: fc.oneof(fc.jsonValue({ maxDepth: 1 }), strangeTexts),
      },
      { requiredKeys: [] },
    ),
    fc.record({ not: tie('entry') }),
    fc.record({ anyOf: fc.array(tie('entry'), { maxLength: 3 }) }),
    fc.record({ allOf: fc.array(tie('entry'), { maxLength: 3 }) }),
    fc.jsonValue({ maxDepth: 1 }),
  ),
})).entry;

/** The pages, and names of none. */
const pages = fc.constantFrom(
  ...[
    'explore',
    'live',
    'funnel',
    'retention',
    'person',
    'users',
    'properties',
    'usage',
    'audit',
    'keys',
    'ingestion',
    'constructor',
    '__proto__',
    '',
    'x',
  ],
);
const names = fc.constantFrom(
  ...['event', 'filter', 'range', 'from', 'until', 'at', 'zone', 'every', 'unit', 'after', 'before', 'by'],
  ...['compare', 'columns', 'cursor', 'user', 'order', 'days', 'who', 'tenant', 'action', 'other'],
  ...['search', 'in', 'least', 'sort', 'offset', 'against'],
  ...['measure', 'and', 'steps', 'within', 'stopped', 'reached', 'cohort', 'periods', 'windows', 'returns'],
);
const values = fc.oneof(
  strangeTexts,
  fc.array(strangeFilters, { maxLength: 3 }).map((filters) => JSON.stringify(filters)),
  fc.constantFrom('24h', 'all', '2026-05-18', '2026-05-18T10:00:00Z', 'UTC', 'Asia/Kolkata', '10', 'hour'),
  fc
    .array(fc.record({ event: strangeTexts, filterSet: fc.array(strangeFilters, { maxLength: 2 }) }), {
      maxLength: 12,
    })
    .map((steps) => JSON.stringify(steps)),
  fc.constantFrom('properties.a: p95', 'userId: distinct', 'properties.a: median', '7d', '0', '11'),
  fc.constantFrom('before', 'oldest', '7', '99999999999999999999', '2026-99-99', 'x'.repeat(100_000)),
);

/** Addresses: most are like those of the pages, some are any text. */
export const addresses: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(pages, strangeTexts, fc.dictionary(names, values, { maxKeys: 4 }))
      .map(([page, alias, given]) => `#/${page}/${alias}?${new URLSearchParams(given).toString()}`),
  },
  { weight: 1, arbitrary: fc.tuple(pages, strangeTexts).map(([page, rest]) => `#/${page}${rest}`) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
);
