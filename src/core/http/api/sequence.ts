import { parseRetentionBody } from '../../query/parse-retention.ts';
import { parseUsersBody } from '../../query/parse-users.ts';
import { parseSequenceBody } from '../../query/parse-sequence.ts';
import type { Sequence } from '../../query/sequence.ts';
import { arrayTexts, keysLength, wholeText, type WriteList } from '../list-text.ts';
import type { ParserOf } from '../memo.ts';
import type { Question } from '../operation.ts';
import { jsonResponse } from '../response.ts';

interface SequenceOptions {
  readonly parserOf: ParserOf;
  readonly writeList: WriteList;
}

/** About how many characters the count of a step takes. */
const COUNT_LENGTH = 12;

/** About how many characters a user takes besides the key. */
const USER_LENGTH = 128;

/** Makes the operations that tell what became of users: in a sequence of steps, and after a start. */
export function createSequence({ writeList, parserOf }: SequenceOptions) {
  return {
    sequence: async (call, authorize) => {
      const { tenantId, asked, operations } = await authorize(call, parserOf(parseSequenceBody));
      const found = await operations.sequence(tenantId, asked, call.request.signal);
      const { steps, groups } = found;
      if (groups === undefined) return jsonResponse(call, JSON.stringify(found));
      return writeList(call, tenantId, {
        rows: groups.length,
        texts: groupedTexts({ ...found, groups }),
        length: keysLength(groups) + groups.length * steps.length * COUNT_LENGTH,
      });
    },
    users: async (call, authorize) => {
      const { tenantId, asked, operations } = await authorize(call, parserOf(parseUsersBody));
      const { users, nextCursor } = await operations.users(tenantId, asked, call.request.signal);
      if (nextCursor !== undefined) call.headers['X-Next-Cursor'] = nextCursor;
      return writeList(call, tenantId, {
        rows: users.length,
        texts: arrayTexts(users, wholeText),
        length: keysLength(users, 'pagination.size') + users.length * USER_LENGTH,
      });
    },
    retention: async (call, authorize) => {
      const { tenantId, asked, operations } = await authorize(call, parserOf(parseRetentionBody));
      const found = await operations.retention(tenantId, asked, call.request.signal);
      return jsonResponse(call, JSON.stringify(found));
    },
  } satisfies Record<string, Question>;
}

/** The text of a sequence with groups, a group at a time. */
function* groupedTexts({ groups, rest, ...counts }: Sequence & Required<Pick<Sequence, 'groups'>>) {
  yield `${JSON.stringify(counts).slice(0, -1)},"groups":`;
  yield* arrayTexts(groups, wholeText);
  yield `,"rest":${JSON.stringify(rest)}}`;
}
