import type { EventOperations } from '../../engine/engine.ts';
import { invalid } from '../../base/errors.ts';
import type { Breakdown } from '../../query/grouping.ts';
import type { WriteList } from '../list-text.ts';
import type { BodyParsers } from '../memo.ts';
import type { Question } from '../operation.ts';

interface BreakdownOptions extends Pick<BodyParsers, 'toGroupedQuery'> {
  readonly operations: EventOperations;
  readonly writeList: WriteList;
}

/** The largest answer, as the number of characters in its group keys. */
const KEYS_LENGTH_MAX = 67_108_864;

/** Makes the operation that groups the events that match. */
export function createBreakdown({ operations, writeList, toGroupedQuery }: BreakdownOptions) {
  return {
    breakdown: async (call, authorize) => {
      const { tenantId, asked } = await authorize(call, toGroupedQuery);
      const found = await operations.breakdown(tenantId, asked, call.request.signal);
      const length = keysLength(found);
      if (length > KEYS_LENGTH_MAX) {
        throw invalid('size', 'these groups have too long keys for one answer; ask for fewer');
      }
      const { groups, distinct, ...counts } = found;
      return writeList(call, tenantId, {
        before: `${JSON.stringify(counts).slice(0, -1)},"groups":[`,
        items: groups,
        behind: `]${distinct === undefined ? '' : `,"distinct":${distinct}`}}`,
        length,
      });
    },
  } satisfies Record<string, Question>;
}

function keysLength({ groups }: Breakdown): number {
  return groups.reduce((sum, { key }) => sum + String(key).length, 0);
}
