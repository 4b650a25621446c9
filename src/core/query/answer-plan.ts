import { atomsOf, type Condition } from '../filter/condition.ts';
import { pathText } from '../filter/path.ts';
import type { EventQuery } from './event-query.ts';
import type { GroupPath } from './grouping.ts';

/**
 * What a question reads a path for: the keys of its body, with `filter` for the name and the filters of its
 * events, `time` for dates and pieces of time, and `order` for the order of events.
 */
export const READ_FOR = [
  'time',
  'order',
  'filter',
  'by',
  'distinct',
  'measures',
  'of',
  'steps',
  'without',
  'same',
  'having',
  'sequence',
  'selected',
  'paths',
] as const;
/** What a question reads a path for. */
export type ReadFor = (typeof READ_FOR)[number];

/** What a question reads of the events, whichever question it is. */
export interface QuestionReading {
  /** The method of a store that answers it. */
  readonly method: 'query' | 'count' | 'breakdown' | 'measure' | 'streams' | 'top' | 'since';
  /** The events that it is about. */
  readonly query: EventQuery;
  /** What else it tests of these events. */
  readonly conditions: readonly { readonly condition: Condition; readonly for: ReadFor }[];
  /** Whose values it reads. */
  readonly paths: readonly { readonly path: GroupPath; readonly for: ReadFor }[];
  /** Whether it cuts time into pieces. */
  readonly isCut: boolean;
}

/** What a question reads that only asks which events match. */
export function readingOf(method: QuestionReading['method'], query: EventQuery): QuestionReading {
  return { method, query, conditions: [], paths: [], isCut: false };
}

/** A path that a question reads. */
export interface ReadPath {
  /** The path as filters name it; `eventTs` also stands for the order of events. */
  readonly path: string;
  /** What for. */
  readonly for: readonly ReadFor[];
}

/** Where the values of a path are looked up. */
export interface PlannedPath extends ReadPath {
  /**
   * The source: a column of values, the order of time, hashes of ids, or the events themselves, which every
   * question reads again. Before there is an order: the store's own index by time, and the events that it
   * names.
   */
  readonly from: 'column' | 'order' | 'hashes' | 'events' | 'index';
  /** How many events the source contains already; the question reads the others. */
  readonly read: number;
  /** Of the order: how many of these events lie in the time of the question. */
  readonly inTime?: number;
}

/** The streams of a question, as far as that is known without reading events. */
export interface PlannedStreams {
  /** How many there are at most: the values that the column of `distinct` has. */
  readonly values: number;
  /** How many events they have at most: those in the time of the question. */
  readonly events: number;
  /** In about how many parts so many events are told at most, by the memory that is free now. */
  readonly parts: number;
}

/** How a store will answer a question. */
export type AnswerPlan =
  | {
      /** Answered from the column index. */
      readonly by: 'columns';
      /** How many events the tenant has. */
      readonly events: number;
      /** Where each path of the question is looked up. */
      readonly paths: readonly PlannedPath[];
      /** Of a question about users: the streams of their events; omitted until their columns are there. */
      readonly streams?: PlannedStreams;
    }
  | {
      /**
       * Answered by SQL; put together from pages of events, because the store has no answer of its own; or
       * answered by the store's own means, about which nothing is known here.
       */
      readonly by: 'sql' | 'pages' | 'store';
      /** Each path that the question reads. */
      readonly paths: readonly ReadPath[];
    };

/** What a question reads the times of events for. */
export function timesFor({ method, query, conditions, isCut }: QuestionReading): readonly ReadFor[] {
  const tested = [query.condition, ...conditions.map(({ condition }) => condition)].flatMap(atomsOf);
  const isTimed = query.from !== -Infinity || query.until !== Infinity || isCut;
  const isTested = tested.some(({ kind }) => kind === 'during');
  const isOrdered = method === 'query' || method === 'top' || method === 'streams';
  return [...(isTimed || isTested ? (['time'] as const) : []), ...(isOrdered ? (['order'] as const) : [])];
}

/** Every condition of a question, with what it is for. */
export function conditionsOf({
  query: { condition },
  conditions,
}: QuestionReading): QuestionReading['conditions'] {
  return [{ condition, for: 'filter' }, ...conditions];
}

/** Puts paths together, each once with all that it is read for, in the order in which they come. */
export function mergePaths<P extends ReadPath>(
  paths: readonly P[],
  keyOf: (path: P) => string,
): readonly P[] {
  const merged = new Map<string, P>();
  for (const path of paths) {
    const known = merged.get(keyOf(path));
    const uses = [...new Set([...(known?.for ?? []), ...path.for])];
    merged.set(keyOf(path), { ...(known ?? path), for: uses });
  }
  return [...merged.values()];
}

/** Each path that a question reads, for stores that say no more. */
export function readPathsOf(reading: QuestionReading): readonly ReadPath[] {
  const times = timesFor(reading);
  const tested = conditionsOf(reading).flatMap(({ condition, for: use }) =>
    atomsOf(condition).flatMap((atom) =>
      atom.kind === 'test' ? [{ path: pathText(atom.path), for: [use] }] : [],
    ),
  );
  const valued = reading.paths.map(({ path, for: use }) => ({ path: pathText(path), for: [use] }));
  const all: readonly ReadPath[] = [
    ...(times.length === 0 ? [] : [{ path: 'eventTs', for: times }]),
    ...tested,
    ...valued,
  ];
  return mergePaths(all, ({ path }) => path);
}
