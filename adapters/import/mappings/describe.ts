import { ANONYMOUS } from '../../../src/transport-kit.ts';
import type { IdentityRule, Mapping, PropertiesRule } from './mapping.ts';

/** How a mapping fills each field of an event, in words. */
export function describeMapping(mapping: Mapping): Record<string, string> {
  const zone = mapping.zone === undefined ? '' : ` (${mapping.zone} where it names no zone)`;
  const named = (paths: readonly string[]) => paths.map((path) => mapping.words?.[path] ?? path);
  return {
    eventName: named(mapping.eventName).join(', else '),
    userId: [...named(mapping.userId), ANONYMOUS].join(', else '),
    eventTs: named(mapping.eventTs).join(', else ') + zone,
    insertId: describeIdentity(mapping.insertId, named),
    properties: describeProperties(mapping.properties, named),
  };
}

type Named = (paths: readonly string[]) => string[];

function describeIdentity(rule: IdentityRule, named: Named): string {
  const from = named(rule.from);
  if (rule.kind === 'counted') return `a hash of ${from.join(', ')}, and a number for each repeat`;
  if (rule.kind === 'hash') return `a hash of ${from.join(', ')}; without ${rule.needs}, of the whole record`;
  return `${from.join(' and ')}; without it a hash of the whole record`;
}

function describeProperties(rule: PropertiesRule, named: Named): string {
  const { spread, without = [], keep = {}, rest } = rule;
  const less = without.length === 0 ? '' : ` without ${without.join(', ')}`;
  const kept = Object.entries(keep).map(([key, name]) => (key === name ? key : `${key} as ${name}`));
  const own = spread.length === 0 ? [] : [`those of ${named(spread).join(', ')}${less}`];
  return [...own, ...kept, `everything else under ${rest}`].join(', ');
}
