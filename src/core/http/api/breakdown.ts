import { exactJson } from '../../event/exact-json.ts';
import type { Breakdown, GroupRow } from '../../query/grouping.ts';
import { arrayTexts, keysLength, wholeText, type WriteList } from '../list-text.ts';
import { parseBreakdownBody } from '../../query/parse-query.ts';
import type { ParserOf } from '../memo.ts';
import type { Question } from '../operation.ts';
import { jsonResponse } from '../response.ts';

interface BreakdownOptions {
  readonly parserOf: ParserOf;
  readonly writeList: WriteList;
}

/** About how many characters a figure takes, with its name. */
const FIGURE_LENGTH = 32;

/** Makes the operation that groups the events that match. */
export function createBreakdown({ writeList, parserOf }: BreakdownOptions) {
  return {
    breakdown: async (call, authorize) => {
      const { tenantId, asked, operations } = await authorize(call, parserOf(parseBreakdownBody));
      const found = await operations.breakdown(tenantId, asked, call.request.signal);
      if (!('groups' in found)) return jsonResponse(call, exactJson(JSON.stringify(found)));
      const length = keysLength([...found.groups, ...(found.columns ?? [])]);
      return writeList(call, tenantId, {
        rows: found.groups.length,
        texts: breakdownTexts(found),
        length: length + figuresOf(found) * FIGURE_LENGTH,
      });
    },
  } satisfies Record<string, Question>;
}

/** The text of a breakdown, a group or a cell at a time. */
function* breakdownTexts(found: Breakdown): Generator<string> {
  const { groups, distinct, measures, columns, columnsTotal, rest, ...counts } = found;
  yield `${JSON.stringify(counts).slice(0, -1)},"groups":`;
  yield* arrayTexts(groups, rowTexts);
  const [whole = ''] = wholeText({ distinct, measures });
  if (whole !== '{}') yield `,${whole.slice(1, -1)}`;
  if (columns !== undefined) {
    yield ',"columns":';
    yield* arrayTexts(columns, wholeText);
    yield `,"columnsTotal":${columnsTotal}`;
  }
  if (rest !== undefined) {
    yield ',"rest":';
    yield* rowTexts(rest);
  }
  yield '}';
}

function* rowTexts({ cells, rest, ...told }: GroupRow): Generator<string> {
  const [text = ''] = wholeText(told);
  if (cells === undefined) {
    yield text;
    return;
  }
  yield `${text.slice(0, -1)},"cells":`;
  yield* arrayTexts(cells, wholeText);
  yield ',"rest":';
  yield* wholeText(rest);
  yield '}';
}

/** How many figures all groups and cells have, besides the counts of groups without columns. */
function figuresOf({ groups, columns, rest }: Breakdown): number {
  const measured = (rest ?? groups[0])?.measures ?? [];
  const figures = measured.reduce((sum, each) => sum + Object.keys(each).length, 0);
  if (columns === undefined) return groups.length * figures;
  return (groups.length + 1) * (columns.length + 2) * (figures + 1);
}
