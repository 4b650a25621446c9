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
import { createCurrentLog } from './log/current-log.ts';
import { isGone } from './log/erased-rows.ts';
import { indexUpTo } from './log/index-up-to.ts';
import { chooseRows, NAME, type ChosenRows } from './choose.ts';
import { breakDown, type OpenedRows } from './groups/breakdown.ts';
import type { EventLog } from './log/log.ts';
import { planOf } from './parts/plan.ts';
import { createParts, type PartsOptions } from './parts/parts.ts';
import { createAsk, type QuestionTools } from './sources/question.ts';
import { openSnapshot, type QuestionSnapshot } from './parts/snapshot.ts';
import { createAnalyzer } from './analysis/analyze.ts';
import { countPaced } from './selection/count.ts';
import { walkDown } from './selection/page.ts';
import { countAll } from './selection/select.ts';
import { allRows, before, liftRanges, placesOf, toSpan, type PlaceSpan } from './selection/spans.ts';

/** Rows of a page, and the version of the log that they were found in. */
export interface FoundPage {
  readonly log: EventLog;
  readonly rows: readonly number[];
}

/** The index of one tenant's log, whatever was erased of it. */
export interface TenantIndex {
  /** The log's version that the next question is about. */
  readonly log: EventLog;
  /** The rows of a page of matching events, in the order of answers. */
  find(query: EventQuery, page: Page, pacer: Pacer): Promise<FoundPage>;
  count(query: EventQuery, pacer: Pacer): Promise<number>;
  breakdown(query: EventQuery, grouping: Grouping, pacer: Pacer): Promise<Breakdown>;
  properties(event: string | undefined, pacer: Pacer): Promise<Properties>;
  since(request: ArrivalsRequest, pacer: Pacer): Promise<Arrivals>;
  /** The rows of all events that match, to be erased. */
  choose(query: EventQuery, pacer: Pacer): Promise<ChosenRows>;
  /** Builds what questions will probably need. */
  prepare(pacer: Pacer): Promise<void>;
  /** Takes the next version of the log, of which more events were erased. */
  adopt(next: EventLog): void;
  /** Frees what the last erasures have erased. */
  settle(pacer: Pacer): Promise<void>;
  /** How a page of a query would be answered now. */
  plan(query: EventQuery): AnswerPlan;
  /** Frees everything that no question uses, and the rest when the last question has ended. */
  dispose(): void;
}

/** What an index works with. */
interface TenantIndexOptions extends PartsOptions {
  readonly meter: Meter;
}

/** A question, and the version of the log that it is about. */
interface Asked extends QuestionTools {
  readonly log: EventLog;
}

const NO_PATHS: readonly GroupPath[] = [];

/** Makes the index of one log. It reads nothing before the first question. */
export function createTenantIndex(first: EventLog, options: TenantIndexOptions): TenantIndex {
  /** The version that questions are about from now on. */
  let latest = first;
  const current = createCurrentLog(first);
  const parts = createParts(current, options);
  const runQuestion = createAsk(options.memory, options.owner);
  const ask = <T>(pacer: Pacer, work: (asked: Asked) => T | Promise<T>): Promise<T> =>
    runQuestion(pacer, (question) => {
      parts.pinIndex(question);
      return work({ ...question, log: latest });
    });
  const analyze = createAnalyzer();
  const indexColumns = createColumnIndexing(options.meter);
  const prepare = createPreparing(parts, { ...options, ask: runQuestion });

  /** A condition and what some paths find, over the rows that exist now, in order if that is needed. */
  function select(
    condition: Condition,
    paths: readonly GroupPath[],
    isOrdered: boolean,
    asked: Asked,
  ): Promise<QuestionSnapshot> {
    const tools = {
      log: asked.log,
      analyze,
      indexColumns,
      columnOf: (path: Path) => parts.columnOf(path, asked),
      ownColumnOf: (view: EventLog, path: Path) => parts.ownColumnOf(view, path, asked),
      orderOf: () => parts.orderOf(asked),
      idHashesOf: () => parts.idHashesOf(asked),
      liveDocsOf: () => parts.liveDocsOf(asked),
    };
    return openSnapshot({ condition, paths, isOrdered }, tools, asked);
  }

  /** The rows of a snapshot by their numbers. */
  const rowsOf = ({ size }: QuestionSnapshot, { log }: Asked) =>
    allRows(size, (segment) => log.version > 0 && isGone(log.erased(), segment));

  /** The rows within the bounds of a query, in order of time. */
  async function openInOrder(query: EventQuery, paths: readonly GroupPath[], asked: Asked) {
    const snapshot = await select(query.condition, paths, true, asked);
    const places = await placesOf(snapshot.ordered, [query], asked.pacer);
    return { ...snapshot, places };
  }

  /** The rows within the bounds of a query, in the order that is fastest to read. */
  async function open(
    query: EventQuery,
    paths: readonly GroupPath[],
    asked: Asked,
  ): Promise<OpenedRows & QuestionSnapshot> {
    if (!isAlways(query)) {
      const opened = await openInOrder(query, paths, asked);
      return { ...opened, spans: opened.places.map(toSpan), isEveryRow: false };
    }
    const snapshot = await select(query.condition, paths, false, asked);
    const { selector } = snapshot;
    const isEveryRow = selector.kind === 'constant' && selector.value === 1;
    return { ...snapshot, spans: rowsOf(snapshot, asked), isEveryRow };
  }

  return {
    get log() {
      return latest;
    },
    count: (query, pacer) =>
      ask(pacer, async (asked) => {
        const { ranges, condition } = liftRanges(query);
        const isAll = ranges.some(isAlways);
        const snapshot = await select(condition, NO_PATHS, !isAll, asked);
        const { selector, selectorAt, ordered, size } = snapshot;
        const known = isAll ? countAll(selector, size) : undefined;
        if (known !== undefined) return known;
        const places: readonly PlaceSpan[] = isAll ? [] : await placesOf(ordered, ranges, pacer);
        return countPaced(selectorAt, isAll ? rowsOf(snapshot, asked) : places.map(toSpan), pacer);
      }),
    find: (query, { after, offset, size: length }, pacer) =>
      ask(pacer, async (asked) => {
        const { log, reservation } = asked;
        const { ranges, condition } = liftRanges(query);
        const { selector, selectorAt, ordered, size } = await select(condition, NO_PATHS, true, asked);
        const places = await placesOf(ordered, ranges, pacer);
        const own = after === undefined ? places : before(log, places, after);
        // If few rows match, the walk ends with the last of them.
        const most = Math.min(length, (countAll(selector, size) ?? Infinity) - offset);
        const tools = { log, selectorAt, reservation, pacer };
        return { log, rows: await walkDown(own, { offset, size: most }, tools) };
      }),
    breakdown: (query, grouping, pacer) =>
      ask(pacer, (asked) => {
        const opener = {
          open: (paths: readonly GroupPath[]) => open(query, paths, asked),
          openInOrder: (paths: readonly GroupPath[]) => openInOrder(query, paths, asked),
        };
        return breakDown(grouping, opener, asked);
      }),
    properties: async (event, pacer) =>
      ask(pacer, async (asked) => {
        const own = parts.propertiesOf(asked);
        await indexUpTo(own, asked.log.size(), pacer);
        return own.answer(event);
      }),
    choose: (query, pacer) =>
      ask(pacer, async (asked) => {
        const opened = await open(query, [NAME], asked);
        return chooseRows(asked.log, { ...opened, allSpans: rowsOf(opened, asked) }, asked);
      }),
    prepare: (pacer) => prepare(latest, pacer),
    adopt(next) {
      latest = next;
      current.adopt(next);
    },
    settle: (pacer) => ask(pacer, () => parts.settle(pacer)),
    plan: (query) => planOf(query, latest, parts.known),
    since: (request, pacer) => ask(pacer, ({ log }) => readArrivals(log, request, pacer)),
    dispose: () => parts.dispose(),
  };
}

function isAlways({ from, until }: InstantRange): boolean {
  return from === -Infinity && until === Infinity;
}
