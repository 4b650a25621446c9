import type { FilterEntry } from '../../src/index.ts';
import { toTable } from '../readme/tables.ts';
import { ARRIVAL_RULE, RULES } from './cases.ts';
import { ZONE_CASES } from './zone-cases.ts';

/** The cases as Markdown tables, one for each rule, as the page of this folder prints them. */
export function casesTable(): string {
  return [...RULES, ARRIVAL_RULE]
    .map(({ rule, cases }) => {
      const rows = cases.map(([filter, event, expected]) => [
        code(filterText(filter)),
        code(typeof event === 'string' ? event : JSON.stringify(event)),
        expected ? 'yes' : 'no',
      ]);
      return `${rule}:\n\n${toTable(['filter', 'properties or fields', 'matches'], rows)}`;
    })
    .join('\n\n');
}

/** How zones cut time, as a Markdown table. */
export function zonesTable(): string {
  const rows = ZONE_CASES.map(({ why, timeZone, by, from, until, buckets }) => [
    why,
    `\`${timeZone}\`, ${by}: \`${from}\` to \`${until}\``,
    buckets.map(([key, minutes]) => `\`${key}\` (${minutes})`).join(', '),
  ]);
  return toTable(['rule', 'time', 'buckets, and how many minutes each has'], rows);
}

/** A filter on one line: `properties.plan EQUALS "pro"`, groups with their name before a bracket. */
function filterText(filter: FilterEntry): string {
  if ('anyOf' in filter) return `anyOf(${filter.anyOf.map(filterText).join(', ')})`;
  if ('allOf' in filter) return `allOf(${filter.allOf.map(filterText).join(', ')})`;
  if ('not' in filter) return `not(${filterText(filter.not)})`;
  return `${filter.property} ${filter.comparison} ${JSON.stringify(filter.value)}`;
}

/** Characters beyond ASCII as JSON escapes: some of them look alike, and that is what the cases show. */
function code(text: string): string {
  const ascii = text.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return `\`${ascii}\``;
}
