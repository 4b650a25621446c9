import type { Breakdown } from '../../../../src/index.ts';
import { toCsvLine } from '../../../../src/transport-kit.ts';
import { typeOf } from './filter/value-type.ts';

/** The groups of an answer, and the path at whose values they are. */
export interface AnsweredGroups extends Breakdown {
  readonly property: string;
}

/**
 * The groups of an answer as CSV, as many as it holds, with one more line for each kind of events without a
 * group. The type stands beside each value, since readers of CSV take the text 5 for the number.
 */
export function toGroupsCsv({ groups, missing, arrays, objects, property }: AnsweredGroups): string {
  const lines = [
    [property, 'type', 'events', 'distinct users'],
    ...groups.map(({ key, count, distinct }) => [key, typeOf(key), count, distinct]),
    ...(
      [
        ['missing or null', missing],
        ['list', arrays],
        ['object', objects],
      ] as const
    )
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => [undefined, kind, count, undefined]),
  ];
  // In the first column are values of a property; a text among them that reads as a number is quoted.
  return lines.map((line, i) => toCsvLine(line, (at) => i > 0 && at === 0)).join('');
}
