import { SILENT_METER, type Meter } from '../base/metrics.ts';
import type { Reservation } from '../bounds/memory-budget.ts';
import type { Pacer } from '../bounds/scheduler.ts';
import type { AnswerPlan, QuestionReading } from '../query/answer-plan.ts';
import { ALWAYS } from '../filter/instants.ts';
import type { EventQuery, Page } from '../query/event-query.ts';
import type { Breakdown, GroupPath, Grouping, MeasuredGrouping, Whole } from '../query/grouping.ts';
import type { Properties } from '../query/properties.ts';
import type { Ranking } from '../query/ranking.ts';
import type { AskedStreams } from '../query/streams.ts';
import type { Arrivals } from '../query/arrivals.ts';
import { createColumnIndexing } from './ahead/column-indexing.ts';
import { createPreparing } from './parts/preparing.ts';
import { readArrivals, type ArrivalsRequest } from './log/arrivals.ts';
import { createCurrentLog } from './log/current-log.ts';
import { isGone } from './log/erased-rows.ts';
import { indexUpTo } from './log/index-up-to.ts';
import { chooseRows, type ChosenRows } from './choose.ts';
import { catchUp } from './choose-later.ts';
import { breakDown } from './groups/breakdown.ts';
import type { OpenedRows } from './groups/grouped.ts';
import { findTop } from './groups/top.ts';
import type { EventLog } from './log/log.ts';
import { createDirect } from './direct/direct.ts';
import { answerPlanOf } from './parts/plan.ts';
import { createParts, type PartsOptions } from './parts/parts.ts';
import { createAsk, type QuestionOptions, type QuestionTools } from './sources/question.ts';
import { openSnapshot, type QuestionSnapshot } from './parts/snapshot.ts';
import { countPaced } from './selection/count.ts';
import { walkDown } from './selection/page.ts';
import { countAll } from './selection/select.ts';
import type { SegmentSpan, SelectorAt } from './selection/selector.ts';
import { ifRoom, requireSame, type FoundStreams, type StreamsPart } from './streams/in-parts.ts';
import { streamsOf } from './streams/streams.ts';
import { isEverything } from '../filter/condition.ts';
import { EVENT_NAME } from '../filter/path.ts';
import { allRows, before, isAlways, liftRanges, placesOf, toSpan } from './selection/spans.ts';

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
  breakdown(
    query: EventQuery,
    grouping: Grouping | MeasuredGrouping,
    pacer: Pacer,
  ): Promise<Breakdown | Whole>;
  /** The rows with the first numbers at a path, in the order of the answer. */
  top(query: EventQuery, ranking: Ranking, pacer: Pacer): Promise<FoundPage>;
  /** A part of the streams of the events that match; `room` books it, and stays the caller's. */
  streams(
    query: EventQuery,
    asked: AskedStreams,
    part: StreamsPart,
    tools: { readonly room: Reservation; readonly pacer: Pacer },
  ): Promise<FoundStreams>;
  properties(event: string | undefined, pacer: Pacer): Promise<Properties>;
  since(request: ArrivalsRequest, pacer: Pacer): Promise<Arrivals>;
  /** The rows of all events that match, to be erased. */
  choose(query: EventQuery, pacer: Pacer): Promise<ChosenRows>;
  /** The same choice with the rows that came since; as it is, if it is of a former version of the log. */
  chooseLater(chosen: ChosenRows, query: EventQuery, pacer: Pacer): Promise<ChosenRows>;
  /** Builds what questions will probably need. */
  prepare(pacer: Pacer): Promise<void>;
  /** Takes the next version of the log, of which more events were erased. */
  adopt(next: EventLog): void;
  /** Frees what the last erasures have erased. */
  settle(pacer: Pacer): Promise<void>;
  /** How a question would be answered now. */
  plan(reading: QuestionReading, pacer: Pacer): Promise<AnswerPlan>;
  /** Frees everything that no question uses, and the rest when the last question has ended. */
  dispose(): void;
}

/** What an index works with. */
interface TenantIndexOptions extends PartsOptions, QuestionOptions {
  readonly meter: Meter;
  /** Whether it is the index of few rows of a log, which begins with nothing and ends with one question. */
  readonly isInner?: boolean;
}

const NO_PATHS: readonly GroupPath[] = [];

/** Makes the index of one log. It reads nothing before the first question. */
export function createTenantIndex(first: EventLog, options: TenantIndexOptions): TenantIndex {
  /** The version that questions are about from now on. */
  let latest = first;
  const current = createCurrentLog(first);
  const parts = createParts(current, options);
  const runQuestion = createAsk(options);
  const ask = <T>(pacer: Pacer, work: (question: QuestionTools, log: EventLog) => T | Promise<T>) =>
    runQuestion(pacer, (question) => {
      parts.pinIndex(question);
      return work(question, latest);
    });
  const snapshotParts = { ...parts, indexColumns: createColumnIndexing(options.meter) };
  const openInner = (log: EventLog): TenantIndex =>
    createTenantIndex(log, { ...options, evicted: () => undefined, meter: SILENT_METER, isInner: true });
  /** Answers without the order; undefined where all rows are few. */
  const direct = options.isInner === true ? undefined : createDirect(parts, openInner);
  const prepare = createPreparing(parts, { ...options, ask: runQuestion });

  /** The first rows of a version of the log, by their numbers. */
  function rowsOf({ size }: QuestionSnapshot, log: EventLog): readonly SegmentSpan[] {
    const erased = log.erased();
    return allRows(size, (segment) => isGone(erased, segment));
  }

  /** The rows within the bounds of a query, in order of time. */
  async function openInOrder(
    query: EventQuery,
    paths: readonly GroupPath[],
    log: EventLog,
    question: QuestionTools,
  ) {
    const { condition } = query;
    const snapshot = await openSnapshot({ condition, paths, isOrdered: true }, log, snapshotParts, question);
    const places = await placesOf(snapshot.ordered, [query], question.pacer);
    return { ...snapshot, places, spans: places.map(toSpan), isEveryRow: false };
  }

  /** The rows within the bounds of a query, in the order that is fastest to read. */
  async function open(
    query: EventQuery,
    paths: readonly GroupPath[],
    log: EventLog,
    question: QuestionTools,
  ): Promise<OpenedRows & QuestionSnapshot> {
    if (!isAlways(query)) return openInOrder(query, paths, log, question);
    const snapshot = await openSnapshot(
      { condition: query.condition, paths, isOrdered: false },
      log,
      snapshotParts,
      question,
    );
    return { ...snapshot, spans: rowsOf(snapshot, log), isEveryRow: selectsAll(snapshot) };
  }

  /** How many rows a selector selects of all, where that is known without a look at them. */
  const countKnown = ({ selector, size }: QuestionSnapshot, log: EventLog) =>
    selector.kind === 'constant' ? selector.value * (size - log.erased().count) : countAll(selector, size);

  return {
    get log() {
      return latest;
    },
    count: (query, pacer) =>
      ask(pacer, async (question, log) => {
        const { ranges, condition } = liftRanges(query);
        const isOrdered = !ranges.some(isAlways);
        if (!isOrdered && isEverything(condition)) return log.size() - log.erased().count;
        const found = isOrdered ? await direct?.count({ ranges, condition }, log, question) : undefined;
        if (found !== undefined) return found;
        const snapshot = await openSnapshot(
          { condition, paths: NO_PATHS, isOrdered },
          log,
          snapshotParts,
          question,
        );
        if (isOrdered) {
          const places = await placesOf(snapshot.ordered, ranges, pacer);
          return countPaced(snapshot.selectorAt, places.map(toSpan), question);
        }
        return countKnown(snapshot, log) ?? countPaced(snapshot.selectorAt, rowsOf(snapshot, log), question);
      }),
    find: (query, page, pacer) =>
      ask(pacer, async (question, log) => {
        const { ranges, condition } = liftRanges(query);
        const found = await direct?.find({ ranges, condition }, page, log, question);
        if (found !== undefined) return { log, rows: found };
        const { after, offset, size } = page;
        const snapshot = await openSnapshot(
          { condition, paths: NO_PATHS, isOrdered: true },
          log,
          snapshotParts,
          question,
        );
        const places = await placesOf(snapshot.ordered, ranges, pacer);
        const own = after === undefined ? places : before(log, places, after);
        // If few rows match, the walk ends with the last of them.
        const most = Math.min(size, (countKnown(snapshot, log) ?? Infinity) - offset);
        const tools = { ...question, log, selectorAt: snapshot.selectorAt };
        return { log, rows: await walkDown(own, { offset, size: most }, tools) };
      }),
    breakdown: (query, grouping, pacer) =>
      ask(pacer, async (question, log) => {
        const { ranges, condition } = liftRanges(query);
        const inner = ranges.some(isAlways) ? undefined : await direct?.open(ranges, log, question);
        if (inner !== undefined) return inner.breakdown({ ...ALWAYS, condition }, grouping, pacer);
        const opener = {
          open: (paths: readonly GroupPath[]) => open(query, paths, log, question),
          openInOrder: (paths: readonly GroupPath[]) => openInOrder(query, paths, log, question),
        };
        return breakDown(grouping, opener, question);
      }),
    top: (query, ranking, pacer) =>
      ask(pacer, async (question, log) => {
        const { ranges, condition } = liftRanges(query);
        const inner = ranges.some(isAlways) ? undefined : await direct?.open(ranges, log, question);
        if (inner !== undefined) return inner.top({ ...ALWAYS, condition }, ranking, pacer);
        const opened = await openInOrder(query, [ranking.of], log, question);
        const isEveryRow = isAlways(query) && selectsAll(opened);
        return { log, rows: await findTop({ ...opened, log, isEveryRow }, ranking, question) };
      }),
    streams: (query, asked, part, { room, pacer }) =>
      ask(pacer, async (question, log) => {
        requireSame(part.rows, log);
        const { distinct, same, by } = asked;
        const paths = [distinct, ...same, ...(by === undefined ? [] : [by])];
        const { selectorAt, places, coded, size } = await openInOrder(query, paths, log, question);
        // What is opened later may have more rows. Only those that have an order are looked at.
        const bitsAt: SelectorAt[] = [];
        for (const condition of asked.bits) {
          const request = { condition, paths: NO_PATHS, isOrdered: false };
          bitsAt.push((await openSnapshot(request, log, snapshotParts, question)).selectorAt);
        }
        const own = {
          distinct: coded[0]!,
          same: coded.slice(1, 1 + same.length),
          by: coded[1 + same.length],
        };
        const { hash } = options;
        const piece = await ifRoom(
          streamsOf({ selectorAt, bitsAt, places, ...own }, asked, { log, part, hash, room, pacer }),
        );
        return { piece, rows: { logId: log.id, version: log.version, size } };
      }),
    properties: (event, pacer) =>
      ask(pacer, async (question, log) => {
        const own = parts.propertiesOf(question);
        await indexUpTo(own, log.size(), pacer);
        return own.answer(event);
      }),
    choose: (query, pacer) =>
      ask(pacer, async (question, log) => {
        // The name is read of all rows: it disappears with its last event.
        const opened = await open(query, [EVENT_NAME], log, question);
        const chosen = await chooseRows(log, { ...opened, allSpans: rowsOf(opened, log) }, question);
        return catchUp(log, query, chosen, pacer);
      }),
    chooseLater: (chosen, query, pacer) =>
      ask(pacer, async (_question, log) =>
        log.version === chosen.log.version ? catchUp(log, query, chosen, pacer) : chosen,
      ),
    prepare: (pacer) => prepare(latest, pacer),
    adopt(next) {
      latest = next;
      current.adopt(next);
    },
    settle: (pacer) => ask(pacer, () => parts.settle(pacer)),
    plan: (reading, pacer) => {
      const isDirect = direct?.isLikely(latest) === true;
      return answerPlanOf(reading, { log: latest, known: parts.known, isDirect, ...options, pacer });
    },
    since: (request, pacer) => ask(pacer, (_question, log) => readArrivals(log, request, pacer)),
    dispose: () => parts.dispose(),
  };
}

/** Whether all rows of a snapshot are selected, erased ones included. */
function selectsAll({ selector }: QuestionSnapshot): boolean {
  return selector.kind === 'constant' && selector.value === 1;
}
