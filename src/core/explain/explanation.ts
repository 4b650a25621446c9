import type { Scheduler } from '../bounds/scheduler.ts';
import type { Zones } from '../bounds/zones.ts';
import { BUCKETS_MAX, cutTime } from '../event/time-unit.ts';
import { atomsOf, type Atom, type Test } from '../filter/condition.ts';
import type { Scalar } from '../filter/operands.ts';
import { rowOf } from '../filter/operators.ts';
import { pathText, type Path } from '../filter/path.ts';
import type { Signal } from '../base/signal.ts';
import type { JsonType, Properties, Property } from '../query/properties.ts';
import { conditionsOf, type AnswerPlan, type QuestionReading } from '../query/answer-plan.ts';
import type { OptionalAnswers } from '../query/event-store.ts';
import { bucketsOf, readClock } from '../query/grouping.ts';
import type { QuestionName } from '../query/questions.ts';
import type { AnswerBounds, AskedExplanation } from './asked.ts';
import { nearestTo } from './nearest.ts';
import type { UnderstoodBody } from './understood.ts';

/** A path that no event has ever had. */
export interface UnknownPath {
  /** The path as the question names it. */
  readonly path: string;
  /**
   * Up to three paths that may have been meant, the nearest first; empty for all unknown paths after the
   * tenth.
   */
  readonly nearest: readonly string[];
}

/** A path that leads into an array, where filters do not look for the keys of objects. */
export interface PathIntoArray {
  /** The path as the question names it. */
  readonly path: string;
  /** The path of the array. */
  readonly array: string;
  /** How many events have an array with an object there. */
  readonly events: number;
}

/** A path whose values all have another type than the one that the question compares with or measures. */
export interface TypeMismatch extends Pick<Property, 'path' | 'types' | 'examples'> {
  /** The types of values that the comparison can match. */
  readonly compared: readonly JsonType[];
}

/** The meaning of a question and how it will be answered. */
export interface Explanation {
  /** Which question it is. */
  readonly question: QuestionName;
  /** Its body as it was understood, in equivalent form. */
  readonly body: UnderstoodBody;
  /** The property paths of the question that no event has ever had. */
  readonly unknownPaths: readonly UnknownPath[];
  /** The property paths of the question that lead into arrays of objects; omitted if there are none. */
  readonly pathsIntoArrays?: readonly PathIntoArray[];
  /** The property paths of the question that no event has with a type compared; omitted if there are none. */
  readonly typeMismatches?: readonly TypeMismatch[];
  /** Whether events have more paths than are kept, so that an unknown path may be one that is not kept. */
  readonly more: boolean;
  /** How the store would answer it now, determined without reading events. */
  readonly plan: AnswerPlan;
  /**
   * Into how many pieces its time is cut; omitted where it is not cut, or where the events decide, because
   * the body leaves an end open.
   */
  readonly pieces?: number;
  /** What bounds the answer; omitted where nothing does. */
  readonly atMost?: AnswerBounds;
  /** The time zone of its days, as it was asked for; omitted where the body names none. */
  readonly timeZone?: string;
  /** The version of the data about that zone, as `2025c`; omitted where the runtime does not tell. */
  readonly timeZoneData?: string;
}

/** Suggestions are sought for this many unknown paths, because each is compared with all known ones. */
const COMPARED_MAX = 10;

const NOTHING_KNOWN: Properties = { properties: [], more: false };

/** Explains a question of a tenant. Throws ApiError 400 where it cuts time into too many pieces. */
export type Explain = (tenantId: string, asked: AskedExplanation, signal?: Signal) => Promise<Explanation>;

/** What explanations are made with. */
interface ExplainOptions {
  readonly answers: Pick<OptionalAnswers, 'properties' | 'plan'>;
  readonly scheduler: Scheduler;
  readonly zones: Pick<Zones, 'dataVersion'>;
}

/** Creates the function that explains questions. */
export function createExplain({ answers, scheduler, zones }: ExplainOptions): Explain {
  /** Into how many pieces a question cuts its time; undefined if the events decide. */
  async function countPieces(
    tenantId: string,
    { question, series }: AskedExplanation,
    signal: Signal | undefined,
  ): Promise<number | undefined> {
    if (series === undefined || series.from === -Infinity || series.until === Infinity) return undefined;
    await scheduler.run(tenantId, signal, (pacer) => readClock(series, pacer));
    const { unit, zone, from, until } = series;
    // A retention has no more cohorts than there are starts for, however long its time is.
    if (question === 'retention' && cutTime(unit, from, until - 1, zone) === undefined) return undefined;
    // There may be too many pieces or cells, which is an error of the question.
    return Math.max(0, bucketsOf(series, undefined).length - 1);
  }

  return async (tenantId, asked, signal) => {
    const { question, body, reading } = asked;
    const pieces = await countPieces(tenantId, asked, signal);
    const tests = testsOf(reading);
    const paths = new Map(tests.map(({ path }) => [pathText(path), path]));
    const named = [...paths.keys()];
    // Without a property path in the question, the known paths are not needed and no event is read for them.
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
    const plan = await answers.plan(tenantId, reading, signal);
    const atMost = asked.atMost(pieces ?? BUCKETS_MAX);
    return {
      ...{ question, body, unknownPaths },
      ...(intoArrays.length > 0 && { pathsIntoArrays: intoArrays }),
      ...(mismatches.length > 0 && { typeMismatches: mismatches }),
      ...{ more, plan },
      ...(pieces !== undefined && { pieces }),
      ...(Object.keys(atMost).length > 0 && { atMost }),
      ...zoneFields(asked, zones),
    };
  };
}

/** What an explanation says of the zone of a question. Its data may differ between runtimes. */
function zoneFields(
  { timeZone }: AskedExplanation,
  { dataVersion }: Pick<Zones, 'dataVersion'>,
): Pick<Explanation, 'timeZone' | 'timeZoneData'> {
  if (timeZone === undefined) return {};
  return dataVersion === undefined ? { timeZone } : { timeZone, timeZoneData: dataVersion };
}

/** A property path of a question, and the types of values that it can do something with; none for all. */
interface TypedPath {
  readonly path: Path;
  readonly compared: readonly JsonType[];
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

/** What no event can pass, or have measured, because of the types of its values, once for each path. */
function typeMismatches(
  tests: readonly TypedPath[],
  properties: Properties['properties'],
): readonly TypeMismatch[] {
  const known = new Map(properties.map((property) => [property.path, property]));
  const found = new Map<string, TypeMismatch>();
  for (const { path: tested, compared } of tests) {
    const property = known.get(pathText(tested));
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

/** The properties that a question compares, groups by, counts or measures. */
function testsOf(reading: QuestionReading): readonly TypedPath[] {
  const tested = conditionsOf(reading).flatMap(({ condition }) => atomsOf(condition).flatMap(toTyped));
  const valued = reading.paths.flatMap(({ path: { root, segments }, for: use }): TypedPath[] => {
    if (root !== 'properties') return [];
    return [{ path: { root, segments }, compared: use === 'measures' || use === 'of' ? ['number'] : [] }];
  });
  return [...tested, ...valued];
}

function toTyped(atom: Atom): readonly TypedPath[] {
  if (atom.kind !== 'test' || atom.path.root !== 'properties') return [];
  return [{ path: atom.path, compared: typesOf(atom) }];
}
