import type { Explanation, FilterEntry, StepBody } from '../../../../src/index.ts';
import { describeMismatch } from '../../events/empty-answer.ts';
import { toFilterText } from '../../options/filter-text.ts';
import { note, printJson, printRows } from '../../print/output.ts';
import { valueText } from '../../print/printable.ts';

type ToldLine = readonly [what: string, is: string];

/** Prints what a question means and how it is answered. */
export async function printExplanation(found: Explanation, json: boolean): Promise<void> {
  if (json) return printJson(found);
  const lines = [
    ['question', found.question] as const,
    ...toBodyLines(found.body),
    ...toPathLines(found),
    ...toPlanLines(found.plan),
    ...toBoundLines(found),
  ];
  await printRows(lines, [
    { head: 'WHAT', text: ([what]) => what },
    { head: 'IS', text: ([, is]) => is },
  ]);
  if (found.more) note('not all paths are listed: an unknown one may exist');
}

/** The keys of a body: a line for each filter and each step, and one for each other key. */
function toBodyLines({ filterSet, ...keys }: Explanation['body']): ToldLine[] {
  const others = Object.entries(keys).flatMap(([key, value]): ToldLine[] => {
    if (key === 'steps')
      return (value as readonly StepBody[]).map(({ filterSet: tested = [] }, i) => {
        return [`step ${i + 1}`, tested.length === 0 ? '*' : tested.map(filterText).join(', ')];
      });
    const what = key === 'pagination' ? 'page' : key;
    return [[what, typeof value === 'string' ? value : valueText(value)]];
  });
  return [...filterSet.map((entry) => ['filter', filterText(entry)] as const), ...others];
}

const filterText = (entry: FilterEntry) => ('property' in entry ? toFilterText(entry) : valueText(entry));

function toPathLines({ unknownPaths, pathsIntoArrays = [], typeMismatches = [] }: Explanation): ToldLine[] {
  return [
    ...unknownPaths.map(({ path, nearest }) => {
      const meant = nearest.length === 0 ? '' : `; perhaps ${nearest.join(', ')}`;
      return ['unknown path', `${path}${meant}`] as const;
    }),
    ...pathsIntoArrays.map(({ path, array, events }) => {
      return [
        'into an array',
        `${path}: in ${events} events ${array} is an array, which filters do not look into`,
      ] as const;
    }),
    ...typeMismatches.map((mismatch) => ['other type', describeMismatch(mismatch)] as const),
  ];
}

function toPlanLines(plan: Explanation['plan']): ToldLine[] {
  if (plan.by !== 'columns')
    return [
      ['answered by', BY[plan.by]],
      ...plan.paths.map(({ path, for: uses }) => ['reads', `${path} (${uses.join(', ')})`] as const),
    ];
  const paths = plan.paths.map(({ path, for: uses, from, read, inTime }) => {
    const within = inTime === undefined ? '' : `, ${inTime} in its time`;
    return [
      'from',
      `${FROM[from]} ${path} (${uses.join(', ')}): ${read} of ${plan.events} events read${within}`,
    ] as const;
  });
  const { streams } = plan;
  if (streams === undefined) return [['answered by', 'columns'], ...paths];
  const { values, events, parts } = streams;
  const told = `at most ${values}, of ${events} events, in ${parts === 1 ? 'one part' : `${parts} parts`}`;
  return [['answered by', 'columns'], ...paths, ['streams', told]];
}

function toBoundLines({ pieces, atMost, timeZone, timeZoneData }: Explanation): ToldLine[] {
  const bounds = Object.entries(atMost ?? {}).map(([what, most]) => `${most} ${what}`);
  const version = timeZoneData === undefined ? '' : `, by the data of ${timeZoneData}`;
  return [
    ...(pieces === undefined ? [] : [['pieces of time', String(pieces)] as const]),
    ...(bounds.length === 0 ? [] : [['at most', bounds.join(', ')] as const]),
    ...(timeZone === undefined ? [] : [['time zone', `${timeZone}${version}`] as const]),
  ];
}

const BY = { sql: 'SQL', pages: 'pages of events', store: 'the store' } as const;

const FROM = {
  column: 'the column of',
  order: 'the order of',
  hashes: 'hashes of',
  events: 'the events, for',
  index: "the store's index of",
} as const;
