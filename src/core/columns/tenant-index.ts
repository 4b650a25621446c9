import type { Meter } from '../base/metrics.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { AnswerPlan } from '../query/answer-plan.ts';
import type { Condition } from '../filter/condition.ts';
import type { InstantRange } from '../filter/instants.ts';
import type { Path } from '../filter/path.ts';
import type { EventQuery, Page } from '../query/event-query.ts';
import type { Breakdown, GroupPath, Grouping } from '../query/grouping.ts';
import type { Properties } from '../query/properties.ts';
import type { Arrivals } from '../query/arrivals.ts';
import { createColumnIndexing } from './ahead/column-indexing.ts';
import { createPreparing } from './parts/preparing.ts';
import { readArrivals, type ArrivalsRequest } from './log/arrivals.ts';
import { indexUpTo } from './log/index-up-to.ts';
import { chooseRows, NAME, type ChosenRows } from './choose.ts';
import { breakDown, type OpenedRows } from './groups/breakdown.ts';
import type { EventLog } from './log/log.ts';
import { carryOverAll } from './parts/carry-over.ts';
import { pinOrder, type PinnedOrder } from './parts/pinned-order.ts';
import type { KnownParts } from './parts/known-parts.ts';
import { planOf } from './parts/plan.ts';
import { createParts, type PartsOptions } from './parts/parts.ts';
import { createAsk, type RunQuestion, type QuestionTools } from './sources/question.ts';
import { openSnapshot, type QuestionSnapshot } from './parts/snapshot.ts';
import { createAnalyzer } from './analysis/analyze.ts';
import type { Selector } from './selection/selector.ts';
import { before, liftRanges, spansOf, type RowSpan, type TimedQuery } from './selection/spans.ts';
import { countPaced, walkDown } from './selection/walk.ts';

/** The index of one tenant's log. */
export interface TenantIndex {
  readonly log: EventLog;
  readonly known: KnownParts;
  /** The rows of a page of matching events, in the order of answers. */
  find(query: EventQuery, page: Page, pacer: Pacer): Promise<readonly number[]>;
  count(query: EventQuery, pacer: Pacer): Promise<number>;
  breakdown(query: EventQuery, grouping: Grouping, pacer: Pacer): Promise<Breakdown>;
  properties(event: string | undefined, pacer: Pacer): Promise<Properties>;
  since(request: ArrivalsRequest, pacer: Pacer): Promise<Arrivals>;
  /** The rows of all events that match, to be erased. */
  choose(query: EventQuery, pacer: Pacer): Promise<ChosenRows>;
  /** Builds what questions will probably need. */
  prepare(pacer: Pacer): Promise<void>;
  /** Carries over what is still valid of the previous version, then disposes of that. */
  carryOver(pacer: Pacer): Promise<void>;
  /** How a page of a query would be answered now. */
  plan(query: EventQuery): AnswerPlan;
  /** Frees everything that no question uses, and the rest when the last question has ended. */
  dispose(): void;
}

/** What a query selects, and the places of the order where its rows can be. */
interface Found extends PinnedOrder {
  readonly selector: Selector;
  readonly spans: readonly RowSpan[];
}

/** What an index works with. */
interface TenantIndexOptions extends PartsOptions {
  readonly meter: Meter;
}

const NO_PATHS: readonly GroupPath[] = [];

/** Makes the index of one log. It reads nothing before the first question. */
export function createTenantIndex(log: EventLog, options: TenantIndexOptions): TenantIndex {
  const parts = createParts(log, options);
  const askAnything = createAsk(options.memory, options.owner);
  const ask: RunQuestion = (pacer, work) =>
    askAnything(pacer, (question) => {
      parts.pinIndex(question);
      return work(question);
    });
  const analyze = createAnalyzer();
  const indexColumns = createColumnIndexing(log, options.meter);

  const openOrder = (question: QuestionTools) => pinOrder(parts.orderOf(question), log.size(), question);

  /** A condition and what some paths find, over the first `size` rows. */
  function select(
    condition: Condition,
    paths: readonly GroupPath[],
    size: number,
    question: QuestionTools,
  ): Promise<QuestionSnapshot> {
    const tools = {
      log,
      analyze,
      indexColumns,
      columnOf: (path: Path) => parts.columnOf(path, question),
      ownColumnOf: (view: EventLog, path: Path) => parts.ownColumnOf(view, path, question),
      orderOf: () => parts.orderOf(question),
      idHashesOf: () => parts.idHashesOf(question),
    };
    return openSnapshot(condition, paths, size, tools, question);
  }

  /** Selects among the rows that exist now, and finds the places of the order where they can be. */
  async function find({ ranges, condition }: TimedQuery, question: QuestionTools): Promise<Found> {
    const { order, pinned } = await openOrder(question);
    const { selector } = await select(condition, NO_PATHS, pinned.indexedRows, question);
    const spans = await spansOf(order, pinned, ranges, question.pacer);
    return { selector, spans, order, pinned };
  }

  /** The rows within the bounds of a query, in order of time. */
  async function openInOrder(query: EventQuery, paths: readonly GroupPath[], question: QuestionTools) {
    const { order, pinned } = await openOrder(question);
    const snapshot = await select(query.condition, paths, pinned.indexedRows, question);
    const placeOf = (instant: number) => order.placeOfInstant(pinned, instant);
    const instantAt = (place: number) => order.instants[pinned.rows[place]!]!;
    const from = placeOf(query.from);
    const { rows, chunksAt } = pinned;
    const range = { rows, chunksAt, from, to: Math.max(from, placeOf(query.until)) };
    return { ...snapshot, range, placeOf, instantAt };
  }

  /** The rows within the bounds of a query, in the order that is fastest to read. */
  async function open(
    query: EventQuery,
    paths: readonly GroupPath[],
    question: QuestionTools,
  ): Promise<OpenedRows> {
    if (isAlways(query)) {
      const snapshot = await select(query.condition, paths, log.size(), question);
      return { ...snapshot, range: { from: 0, to: snapshot.size } };
    }
    const opened = await openInOrder(query, paths, question);
    const { size, range } = opened;
    return range.to - range.from < size ? opened : { ...opened, range: { from: 0, to: size } };
  }

  return {
    log,
    known: parts.known,
    count: (query, pacer) =>
      ask(pacer, async (question) => {
        const timed = liftRanges(query);
        if (timed.ranges.some(isAlways)) {
          const { selector, size } = await select(timed.condition, NO_PATHS, log.size(), question);
          return countPaced(selector, { spans: [{ from: 0, to: size }] }, pacer);
        }
        const { selector, spans, pinned } = await find(timed, question);
        const [first] = spans;
        // All rows are counted faster by row number.
        const isAll = first?.from === 0 && first.to === pinned.indexedRows;
        const { rows, chunksAt } = pinned;
        return countPaced(selector, isAll ? { spans } : { rows, chunksAt, spans }, pacer);
      }),
    find: (query, page, pacer) =>
      ask(pacer, async (question) => {
        const { selector, spans, order, pinned } = await find(liftRanges(query), question);
        const own = page.after === undefined ? spans : before(order.placeOf(pinned, page.after), spans);
        return walkDown(selector, { ...pinned, spans: own }, page, pacer);
      }),
    breakdown: (query, grouping, pacer) =>
      ask(pacer, (question) => {
        const opener = {
          open: (paths: readonly GroupPath[]) => open(query, paths, question),
          openInOrder: (paths: readonly GroupPath[]) => openInOrder(query, paths, question),
        };
        return breakDown(grouping, opener, question);
      }),
    properties: async (event, pacer) =>
      ask(pacer, async (question) => {
        const own = parts.propertiesOf(question);
        await indexUpTo(own, log.size(), pacer);
        return own.answer(event);
      }),
    choose: (query, pacer) =>
      ask(pacer, async (question) => chooseRows(log, await open(query, [NAME], question), question)),
    prepare: createPreparing(log, parts, { ...options, ask }),
    carryOver: (pacer) => carryOverAll(log, parts, ask, pacer),
    plan: (query) => planOf(query, log, parts.known),
    since: (request, pacer) => ask(pacer, () => readArrivals(log, request, pacer)),
    dispose: () => parts.dispose(),
  };
}

function isAlways({ from, until }: InstantRange): boolean {
  return from === -Infinity && until === Infinity;
}
