import type { Scheduler } from '../bounds/scheduler.ts';
import type { Zones } from '../bounds/zones.ts';
import type { Condition, Test } from '../filter/condition.ts';
import type { Scalar } from '../filter/operands.ts';
import { rowOf } from '../filter/operators.ts';
import { pathText, type Path } from '../filter/path.ts';
import type { Signal } from '../base/signal.ts';
import type { JsonType, Properties, Property } from '../query/properties.ts';
import type { AnswerPlan } from '../query/answer-plan.ts';
import type { OptionalAnswers } from '../query/event-store.ts';
import type { PagedQuery } from '../query/parse-query.ts';
import { nearestTo } from './nearest.ts';
import { toUnderstoodBody, type UnderstoodBody } from './understood.ts';

/** A path that no event has ever had. */
export interface UnknownPath {
  /** The path as the filter names it. */
  readonly path: string;
  /**
   * Up to three paths that may have been meant, the nearest first; empty for all unknown paths after the
   * tenth.
   */
  readonly nearest: readonly string[];
}

/** A path that leads into an array, where filters do not look for the keys of objects. */
export interface PathIntoArray {
  /** The path as the filter names it. */
  readonly path: string;
  /** The path of the array. */
  readonly array: string;
  /** How many events have an array with an object there. */
  readonly events: number;
}

/** A path whose values all have another type than the one that the query compares with. */
export interface TypeMismatch extends Pick<Property, 'path' | 'types' | 'examples'> {
  /** The types of values that the comparison can match. */
  readonly compared: readonly JsonType[];
}

/** The meaning of a query and how it will be answered. */
export interface Explanation {
  /** The query as it was understood, as an equivalent body. */
  readonly query: UnderstoodBody;
  /** The property paths of the query that no event has ever had. */
  readonly unknownPaths: readonly UnknownPath[];
  /** The property paths of the query that lead into arrays of objects; omitted if there are none. */
  readonly pathsIntoArrays?: readonly PathIntoArray[];
  /** The property paths of the query that no event has with a type compared; omitted if there are none. */
  readonly typeMismatches?: readonly TypeMismatch[];
  /** Whether events have more paths than are kept, so that an unknown path may be one that is not kept. */
  readonly more: boolean;
  /** How the store would answer it now, determined without reading events. */
  readonly plan: AnswerPlan;
  /** The time zone of its days, as it was asked for; omitted where the body names none. */
  readonly timeZone?: string;
  /** The version of the data about that zone, as `2025c`; omitted where the runtime does not tell. */
  readonly timeZoneData?: string;
}

/** Suggestions are sought for this many unknown paths, because each is compared with all known ones. */
const COMPARED_MAX = 10;

const NOTHING_KNOWN: Properties = { properties: [], more: false };

/** Explains the query of a tenant. */
export type Explain = (tenantId: string, asked: PagedQuery, signal?: Signal) => Promise<Explanation>;

/** Creates the function that explains queries. */
export function createExplain({
  answers,
  scheduler,
  zones,
}: {
  readonly answers: Pick<OptionalAnswers, 'properties' | 'plan'>;
  readonly scheduler: Scheduler;
  readonly zones: Pick<Zones, 'dataVersion'>;
}): Explain {
  return async (tenantId, asked, signal) => {
    const { query } = asked;
    const tests = propertyTestsOf(query.condition);
    const paths = new Map(tests.map(({ path }) => [pathText(path), path]));
    const named = [...paths.keys()];
    // Without a property path in the query, the known paths are not needed and no event is read for them.
    const { properties, more } =
      named.length === 0 ? NOTHING_KNOWN : await answers.properties(tenantId, undefined, signal);
    const known = properties.map(({ path }) => path);
    const have = new Set(known);
    const unknown = named.filter((path) => !have.has(path));
    const unknownPaths = await scheduler.run(tenantId, signal, async (pacer) => {
      const found: UnknownPath[] = [];
      for (const path of unknown) {
        const nearest = found.length < COMPARED_MAX ? await nearestTo(path, known, pacer) : [];
        found.push({ path, nearest });
      }
      return found;
    });
    const intoArrays = pathsIntoArrays([...paths.values()], properties);
    const mismatches = typeMismatches(tests, properties);
    const plan = await answers.plan(tenantId, query, signal);
    return {
      ...{ query: toUnderstoodBody(asked), unknownPaths },
      ...(intoArrays.length > 0 && { pathsIntoArrays: intoArrays }),
      ...(mismatches.length > 0 && { typeMismatches: mismatches }),
      ...{ more, plan },
      ...zoneFields(asked, zones),
    };
  };
}

/** What an explanation says of the zone of a query. Its data may differ between runtimes. */
function zoneFields(
  { timeZone }: PagedQuery,
  { dataVersion }: Pick<Zones, 'dataVersion'>,
): Pick<Explanation, 'timeZone' | 'timeZoneData'> {
  if (timeZone === undefined) return {};
  return dataVersion === undefined ? { timeZone } : { timeZone, timeZoneData: dataVersion };
}

/** The paths that have an array of objects on their way, with the first such array of each. */
function pathsIntoArrays(
  paths: readonly Path[],
  properties: Properties['properties'],
): readonly PathIntoArray[] {
  const arrays = new Map(properties.map(({ path, arraysOfObjects = 0 }) => [path, arraysOfObjects]));
  return paths.flatMap(({ root, segments }) => {
    const above = segments.slice(0, -1).map((_, i) => pathText({ root, segments: segments.slice(0, i + 1) }));
    const array = above.find((each) => (arrays.get(each) ?? 0) > 0);
    if (array === undefined) return [];
    return [{ path: pathText({ root, segments }), array, events: arrays.get(array)! }];
  });
}

/** What no event can pass because of the types of its values, once for each path. */
function typeMismatches(
  tests: readonly Test[],
  properties: Properties['properties'],
): readonly TypeMismatch[] {
  const known = new Map(properties.map((property) => [property.path, property]));
  const found = new Map<string, TypeMismatch>();
  for (const test of tests) {
    const property = known.get(pathText(test.path));
    const compared = typesOf(test);
    if (property === undefined || compared.length === 0) continue;
    const { path, types, examples } = property;
    if (compared.every((type) => types[type] === undefined))
      found.set(path, { path, compared, types, examples });
  }
  return [...found.values()];
}

/** The types of the values that a test can match; none for a test of any value. */
function typesOf({ operator, operand }: Test): readonly JsonType[] {
  const operands = (operand === null ? [] : [operand].flat()) as readonly Scalar[];
  const types = [...new Set(operands.map((each) => typeof each as JsonType))];
  if (rowOf(operator).looksForText !== true) return types;
  return [...types.filter((type) => type === 'string'), 'array'];
}

/** The tests of a condition that compare a property. */
function propertyTestsOf(condition: Condition): readonly Test[] {
  switch (condition.kind) {
    case 'during':
      return [];
    case 'test':
      return condition.path.root === 'properties' ? [condition] : [];
    case 'not':
      return propertyTestsOf(condition.of);
    default:
      return condition.of.flatMap(propertyTestsOf);
  }
}
