import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import type { Told, Whole } from '../../query/grouping.ts';
import type { MeasuredNumbers } from '../../query/measures.ts';
import { BLOCK_ROWS } from '../log/sizes.ts';
import { countPaced } from '../selection/count.ts';
import type { SegmentSpan, SelectorAt } from '../selection/selector.ts';
import { eachSelected } from './blocks.ts';
import { createDistinctCounter } from './distinct.ts';
import { collectCodes } from './group-loops.ts';
import type { ChosenSpans, Grouped, GroupTools } from './grouped.ts';
import { createNumberTally, readNumbers } from './numbers.ts';
import { createPartVisits, startsOf, type TablePart } from './parted.ts';
import type { Coded } from './reading.ts';
import type { EachPlaced } from './row-places.ts';

/** What is told of rows besides their number. */
export type Figures = Omit<Whole, 'total'>;

/** What is looked at in rows: distinct values, and numbers. */
export type LookedAt = Pick<Grouped, 'distinct' | 'measured'>;

/** Rows in a table, and the parts of it of which something is told. */
interface PartedRows {
  readonly eachPlaced: EachPlaced;
  /** How many rows have each place. */
  readonly counts: Uint32Array;
  readonly parts: readonly TablePart[];
}

/** About how much memory a figure takes in an answer, and what is around some figures. */
const FIGURE_BYTES = 24;
const FIGURES_BYTES = 96;

/** Tells what is asked of each part of a table, path by path. */
export async function tellParts(
  { distinct, measured }: LookedAt,
  { eachPlaced, counts, parts }: PartedRows,
  tools: GroupTools,
): Promise<readonly Told[]> {
  const figures = measured.reduce((sum, { measure }) => sum + measure.take.length + 2, 0);
  const bytes = FIGURES_BYTES * (1 + measured.length) + FIGURE_BYTES * figures;
  reserveOrThrow(tools.reservation, parts.length * bytes);
  const starts = await startsOf(counts, tools);
  const rowsIn = (part: TablePart) => part.reduce((sum, [from, to]) => sum + starts[to]! - starts[from]!, 0);
  if (distinct === undefined && measured.length === 0) return parts.map((part) => ({ count: rowsIn(part) }));
  const visitParts = createPartVisits(eachPlaced, starts, tools);
  const found: number[] = [];
  if (distinct !== undefined) {
    const counter = await createDistinctCounter(distinct, tools);
    await visitParts(distinct, parts, { ...counter, end: () => void found.push(counter.found) });
  }
  const measures = parts.map((): MeasuredNumbers[] => []);
  for (const each of measured) {
    const tally = createNumberTally(await readNumbers(each, tools), tools);
    let i = 0;
    await visitParts(each.coded, parts, {
      add: (codes) => tally.add(codes),
      end: async () => void measures[i++]!.push(await tally.end()),
    });
  }
  return parts.map((part, i) => ({
    count: rowsIn(part),
    ...(distinct === undefined ? {} : { distinct: found[i]! }),
    ...(measured.length === 0 ? {} : { measures: measures[i]! }),
  }));
}

/** Tells what rows have that are visited span by span. */
export interface Teller {
  /** How many of the rows of some spans are selected, and their figures. */
  tell(spans: readonly SegmentSpan[]): Promise<Figures & { readonly count: number }>;
  /** The figures of all rows that were told of. */
  whole(): Promise<Figures>;
}

/** Makes a teller of rows, one bucket of time after the other. */
export async function createTeller(
  selectorAt: SelectorAt,
  { distinct, measured }: LookedAt,
  tools: GroupTools,
): Promise<Teller> {
  if (distinct === undefined && measured.length === 0) return countOnly(selectorAt, tools);
  const distincts = distinct && {
    codes: distinct.codes,
    own: await createDistinctCounter(distinct, tools),
    all: await createDistinctCounter(distinct, tools),
  };
  distincts?.all.begin();
  const tallies: { codes: Coded['codes']; own: Tally; all: Tally }[] = [];
  for (const each of measured) {
    const numbers = await readNumbers(each, tools);
    const [own, all] = [createNumberTally(numbers, tools), createNumberTally(numbers, tools)];
    tallies.push({ codes: each.coded.codes, own, all });
  }
  reserveOrThrow(tools.reservation, BLOCK_ROWS * 4);
  const collected = new Uint32Array(BLOCK_ROWS);
  const parts = [...(distincts === undefined ? [] : [distincts]), ...tallies];

  const toFigures = async (of: 'own' | 'all'): Promise<Figures> => {
    const figures: MeasuredNumbers[] = [];
    for (const tally of tallies) figures.push(await tally[of].end());
    return {
      ...(distincts === undefined ? {} : { distinct: distincts[of].found }),
      ...(tallies.length === 0 ? {} : { measures: figures }),
    };
  };

  return {
    async tell(spans) {
      let count = 0;
      distincts?.own.begin();
      await tools.pacer.yieldIfDue();
      await eachSelected(selectorAt, spans, tools.pacer, (selection, block) => {
        for (const [i, { codes, own, all }] of parts.entries()) {
          const found = collectCodes(collected, codes[block.segment]!, selection, block);
          if (i === 0) count += found;
          own.add(collected.subarray(0, found));
          all.add(collected.subarray(0, found));
        }
      });
      return { count, ...(await toFigures('own')) };
    },
    whole: () => toFigures('all'),
  };
}

type Tally = ReturnType<typeof createNumberTally>;

/** Tells what is asked of all selected rows together. */
export async function measureAll(
  { selectorAt, spans, ...looked }: ChosenSpans & LookedAt,
  tools: GroupTools,
): Promise<Whole> {
  const teller = await createTeller(selectorAt, looked, tools);
  const { count, ...figures } = await teller.tell(spans);
  return { total: count, ...figures };
}

function countOnly(selectorAt: SelectorAt, tools: GroupTools): Teller {
  return {
    tell: async (spans) => {
      await tools.pacer.yieldIfDue();
      return { count: await countPaced(selectorAt, spans, tools) };
    },
    whole: () => Promise.resolve({}),
  };
}
