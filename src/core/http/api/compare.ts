import type { EventOperations } from '../../engine/engine.ts';
import { parseCompareBody } from '../../query/parse-compare.ts';
import { arrayTexts, keysLength, wholeText, type WriteList } from '../list-text.ts';
import type { Differences } from '../../query/compare.ts';
import type { ParserOf } from '../memo.ts';
import type { Question } from '../operation.ts';

interface ComparingOptions {
  readonly parserOf: ParserOf;
  readonly operations: EventOperations;
  readonly writeList: WriteList;
}

/** About how many characters a row takes besides its path and its value. */
const ROW_LENGTH = 192;

/** Makes the operation that tells where the selected events and the others differ. */
export function createComparing({ operations, writeList, parserOf }: ComparingOptions) {
  return {
    compare: async (call, authorize) => {
      const { tenantId, asked } = await authorize(call, parserOf(parseCompareBody), {
        ofAll: () => 'A comparison over all paths',
      });
      const found = await operations.compare(tenantId, asked, call.request.signal);
      const { rows, paths } = found;
      const texts = [...rows.map(({ value }) => value ?? ''), ...rows.map(({ path }) => path), ...paths];
      return writeList(call, tenantId, {
        rows: rows.length,
        texts: differencesTexts(found),
        length: keysLength(texts.map((key) => ({ key }))) + rows.length * ROW_LENGTH,
      });
    },
  } satisfies Record<string, Question>;
}

/** The text of the answer, a row at a time. */
function* differencesTexts({ rows, ...counts }: Differences): Generator<string> {
  yield `${JSON.stringify(counts).slice(0, -1)},"rows":`;
  yield* arrayTexts(rows, wholeText);
  yield '}';
}
