import { InvalidArgumentError, type Command } from 'commander';
import type { BreakdownBody, FigureName, MeasureBody } from '../../../src/index.ts';
import { BY_WORDS } from '../../../src/internal.ts';
import { parseBreakdownBody } from '../../../src/store-kit.ts';
import { quote } from '../../../src/transport-kit.ts';
import { inGroup } from '../print/in-group.ts';
import { misuse } from '../process/errors.ts';
import { collect } from '../values/parse.ts';
import { explained, given, readBody, toBody, type FilterOptions } from './query-options.ts';

/** The flags of a breakdown. */
export interface GroupOptions {
  readonly by?: readonly string[];
  readonly distinct?: string;
  readonly measure?: readonly MeasureBody[];
  readonly size?: number | readonly [number, number];
  readonly orderBy?: MeasureBody;
  readonly rest?: true;
}

/** Adds the flags of a breakdown. */
export function addGroupOptions(command: Command): Command {
  return inGroup(command, 'Groups:', (each) =>
    each
      .option('--by <path>', `${BY_WORDS}; twice for rows and columns`, collect)
      .option('--distinct <path>', 'count the distinct values of this path in each group, exactly')
      .option(
        '--measure <path: figures>',
        `figures of the numbers at a path, as in 'properties.total: sum p95'; repeatable`,
        collectMeasures,
      )
      .option(
        '--size <n>',
        'how many groups, 1 to 1000 (default: 100; all for a unit of time), or rows and columns, as in 10x5',
        parseSize,
      )
      .option(
        '--order-by <path: figure>',
        `groups by a figure that is measured, the greatest first, as in 'properties.total: sum'`,
        parseMeasure,
      )
      .option('--rest', 'show what is outside of the groups in one row, and outside of the columns in one'),
  );
}

/** Makes the body of a breakdown from flags. Throws an Error that names the wrong flag. */
export function toBreakdownBody(options: FilterOptions & GroupOptions): BreakdownBody {
  const body = options.body === undefined ? fromFlags(options) : readBody(options.body);
  explained(options, () => parseBreakdownBody(body));
  return body as BreakdownBody;
}

function fromFlags(options: FilterOptions & GroupOptions): unknown {
  const { by = [], distinct, measure, size, orderBy, rest } = options;
  if (by.length > 2) throw misuse(`--by: takes one dimension or two, got ${by.length}`);
  return {
    ...toBody(options),
    ...given('by', by.length === 1 ? by[0] : by.length === 0 ? undefined : by),
    ...{ ...given('distinct', distinct), ...given('measures', measure), ...given('size', size) },
    ...{ ...given('orderBy', orderBy && toOrder(orderBy, measure)), ...given('rest', rest) },
  };
}

/** The order that a flag means; a figure has to be measured. */
function toOrder({ of, take }: MeasureBody, measures: readonly MeasureBody[] = []): unknown {
  const [figure] = take;
  const place = measures.findIndex((measure) => measure.of === of && measure.take.includes(figure!));
  const text = `${of}: ${figure}`;
  if (place === -1 || take.length > 1)
    throw misuse(`--order-by: takes one figure that is measured; add --measure ${quote(text)}`);
  return { measure: place, take: figure };
}

/** Reads `10`, or `10x5` of rows and columns. */
function parseSize(text: string): number | readonly [number, number] {
  const [, rows, columns] = /^(\d{1,9})(?:x(\d{1,9}))?$/.exec(text) ?? [];
  if (rows === undefined)
    throw new InvalidArgumentError('It takes a whole number, or two of rows and columns as in 10x5.');
  return columns === undefined ? Number(rows) : [Number(rows), Number(columns)];
}

function collectMeasures(text: string, before: readonly MeasureBody[] = []): readonly MeasureBody[] {
  return [...before, parseMeasure(text)];
}

/** Reads `properties.total: sum p95`: the figures come after the last colon, for a key may have one too. */
function parseMeasure(text: string): MeasureBody {
  const colon = text.lastIndexOf(':');
  const take = text
    .slice(colon + 1)
    .split(/[\s,]+/)
    .filter((name) => name !== '');
  if (colon === -1 || take.length === 0)
    throw new InvalidArgumentError(`It takes a path and figures, as in 'properties.total: sum p95'.`);
  return { of: text.slice(0, colon).trim(), take: take as FigureName[] };
}
