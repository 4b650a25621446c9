import type { EventOperations } from '../../engine/engine.ts';
import { invalid } from '../../base/errors.ts';
import { exactJson } from '../../event/exact-json.ts';
import type { Breakdown } from '../../query/grouping.ts';
import type { WriteList } from '../list-text.ts';
import { parseBreakdownBody } from '../../query/parse-query.ts';
import type { ParserOf } from '../memo.ts';
import type { Question } from '../operation.ts';
import { jsonResponse } from '../response.ts';

interface BreakdownOptions {
  readonly parserOf: ParserOf;
  readonly operations: EventOperations;
  readonly writeList: WriteList;
}

/** About how many characters a figure takes, with its name. */
const FIGURE_LENGTH = 32;

/** The largest answer, as the number of characters in its group keys. */
const KEYS_LENGTH_MAX = 67_108_864;

/** Makes the operation that groups the events that match. */
export function createBreakdown({ operations, writeList, parserOf }: BreakdownOptions) {
  return {
    breakdown: async (call, authorize) => {
      const { tenantId, asked } = await authorize(call, parserOf(parseBreakdownBody));
      const found = await operations.breakdown(tenantId, asked, call.request.signal);
      if (!('groups' in found)) return jsonResponse(call, exactJson(JSON.stringify(found)));
      const length = keysLength(found);
      if (length > KEYS_LENGTH_MAX) {
        throw invalid('size', 'these groups have too long keys for one answer; ask for fewer');
      }
      const { groups, distinct, measures, ...counts } = found;
      const whole = exactJson(JSON.stringify({ distinct, measures }));
      return writeList(call, tenantId, {
        before: `${JSON.stringify(counts).slice(0, -1)},"groups":[`,
        items: groups,
        behind: `]${whole === '{}' ? '}' : `,${whole.slice(1)}`}`,
        length: length + figuresOf(found) * FIGURE_LENGTH,
      });
    },
  } satisfies Record<string, Question>;
}

function keysLength({ groups }: Breakdown): number {
  return groups.reduce((sum, { key }) => sum + String(key).length, 0);
}

/** How many figures all groups have. */
function figuresOf({ groups }: Breakdown): number {
  const measured = groups[0]?.measures ?? [];
  return groups.length * measured.reduce((sum, figures) => sum + Object.keys(figures).length, 0);
}
