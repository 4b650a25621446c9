import { reserveOrThrow } from '../../bounds/memory-budget.ts';
import type { Whole } from '../../query/grouping.ts';
import type { MeasuredNumbers } from '../../query/measures.ts';
import { BLOCK_ROWS } from '../log/sizes.ts';
import { countPaced } from '../selection/count.ts';
import type { SegmentSpan, SelectorAt } from '../selection/selector.ts';
import type { VisitGroups } from './arranged.ts';
import { eachSelected } from './blocks.ts';
import { createDistinctCounter } from './distinct.ts';
import { collectCodes } from './group-loops.ts';
import type { ChosenSpans, Grouped, GroupTools } from './grouped.ts';
import { createNumberTally, readNumbers } from './numbers.ts';
import type { Coded } from './reading.ts';

/** What is told of rows besides their number. */
export type Figures = Omit<Whole, 'total'>;

/** What is looked at in rows: distinct values, and numbers. */
export type LookedAt = Pick<Grouped, 'distinct' | 'measured'>;

/** The figures of all rows, and of each group by its place among the groups. */
interface GroupFigures {
  readonly whole: Figures;
  ofGroup(place: number): Figures;
}

/** Measures all selected rows and each group, path by path; undefined if nothing is measured. */
export async function measureGroups(
  { selectorAt, spans, measured }: ChosenSpans & Pick<LookedAt, 'measured'>,
  visitGroups: VisitGroups,
  tools: GroupTools,
): Promise<GroupFigures | undefined> {
  if (measured.length === 0) return undefined;
  const visitCodes = createCodesVisit(selectorAt, spans, tools);
  const whole: MeasuredNumbers[] = [];
  const inGroups: MeasuredNumbers[][] = [];
  for (const each of measured) {
    const tally = createNumberTally(await readNumbers(each, tools), tools);
    await visitCodes(each.coded, (codes) => tally.add(codes));
    whole.push(await tally.end());
    const own: MeasuredNumbers[] = [];
    await visitGroups(each.coded, {
      add: (codes) => tally.add(codes),
      end: async () => void own.push(await tally.end()),
    });
    inGroups.push(own);
  }
  return { whole: { measures: whole }, ofGroup: (i) => ({ measures: inGroups.map((own) => own[i]!) }) };
}

/** Makes what visits the codes of selected rows at a path, block by block, in room that all paths share. */
function createCodesVisit(
  selectorAt: SelectorAt,
  spans: readonly SegmentSpan[],
  { reservation, pacer }: GroupTools,
): (coded: Coded, visit: (codes: Uint32Array) => void) => Promise<void> {
  reserveOrThrow(reservation, BLOCK_ROWS * 5);
  const collected = new Uint32Array(BLOCK_ROWS);
  return ({ codes }, visit) =>
    eachSelected(selectorAt, spans, pacer, (selection, block) =>
      visit(collected.subarray(0, collectCodes(collected, codes[block.segment]!, selection, block))),
    );
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

function countOnly(selectorAt: SelectorAt, { pacer }: GroupTools): Teller {
  return {
    tell: async (spans) => {
      await pacer.yieldIfDue();
      return { count: await countPaced(selectorAt, spans, pacer) };
    },
    whole: () => Promise.resolve({}),
  };
}
