import type { OptionalAnswers } from '../../answers.ts';
import { booked } from '../../bounds/booked.ts';
import type { Ledger } from '../../bounds/ledger.ts';
import { invalid } from '../../errors.ts';
import type { HttpResponse } from '../../ports.ts';
import type { Breakdown } from '../../query/grouping.ts';
import { parseBreakdownBody } from '../../query/parse-query.ts';
import { createMemo } from '../memo.ts';
import type { Admit, Call } from '../operation.ts';
import { parseJson } from '../request.ts';

interface BreakdownOptions {
  readonly admit: Admit;
  readonly answers: OptionalAnswers;
  readonly ledger: Ledger;
}

/** The largest answer: about as many characters of keys. */
const KEYS_LENGTH_MAX = 67_108_864;

/** How long the text of a piece is, about. */
const PIECE_LENGTH = 524_288;

/** How the events that match fall into groups. */
export function createBreakdown({ admit, answers, ledger }: BreakdownOptions) {
  const toGroupedQuery = createMemo((text) => parseBreakdownBody(parseJson(text)));

  return {
    breakdown: async (call: Call): Promise<HttpResponse> => {
      const { tenantId, asked } = await admit(call, toGroupedQuery);
      const found = await answers.breakdown(tenantId, asked.query, asked.grouping, call.request.signal);
      const length = keysLength(found);
      if (length > KEYS_LENGTH_MAX) {
        throw invalid('size', 'these groups have too long keys for one answer; ask for fewer');
      }
      const pieces = writeBreakdown(found);
      if (length < PIECE_LENGTH) return { status: 200, headers: call.headers, body: [...pieces].join('') };
      // Keys may be long texts, two bytes a character at most.
      const body = booked(ledger.account(tenantId), length * 2, pieces);
      return { status: 200, headers: call.headers, body };
    },
  };
}

function keysLength({ groups }: Breakdown): number {
  return groups.reduce((sum, { key }) => sum + String(key).length, 0);
}

/** A breakdown as one line of JSON, in pieces that end between two groups. */
function* writeBreakdown({ groups, distinct, ...counts }: Breakdown): Generator<string> {
  let piece = `${JSON.stringify(counts).slice(0, -1)},"groups":[`;
  for (const [i, group] of groups.entries()) {
    piece += `${i === 0 ? '' : ','}${JSON.stringify(group)}`;
    if (piece.length < PIECE_LENGTH) continue;
    yield piece;
    piece = '';
  }
  yield `${piece}]${distinct === undefined ? '' : `,"distinct":${distinct}`}}\n`;
}
