import type { Leaf, Outlook, Outlooks, RowRange, Selector } from './selector.ts';
import { mayHold, mayHoldAny, toBits, type HeldCodes } from '../column/held-codes.ts';
import { CHUNK_ROWS, CODES_MAX, HELD_BITS_MAX } from '../log/sizes.ts';

/** The selector, which tells of whole chunks, by which codes they hold, what it does with their rows. */
export function withOutlooks(selector: Selector): Selector {
  if (selector.kind === 'constant') return selector;
  const known: Outlook[] = [];
  // Most questions are answered before anybody asks.
  let judge: Outlooks | undefined;
  const outlooks: Outlooks = (chunk) =>
    (known[chunk] ??= (judge ??= judgeOf(selector) ?? (() => 'some'))(chunk));
  if (selector.kind !== 'leaf') return { kind: selector.kind, of: selector.of, outlooks };
  // V8 gives an object that is spread and added to a shape of its own each time, which costs more than to
  // look at some thousand rows.
  const { kind, codes, verdict, countAll, isOwn, held } = selector;
  return { kind, codes, verdict, countAll, isOwn, held, outlooks };
}

/** What is known of the rows of a range. */
export function foresee(selector: Selector, { rows, chunksAt, from, to }: RowRange): Outlook {
  if (selector.kind === 'constant') return selector.value === 1 ? 'all' : 'none';
  const { outlooks } = selector;
  if (outlooks === undefined || from >= to) return 'some';
  let found: Outlook | undefined;
  for (let block = Math.floor(from / CHUNK_ROWS); block * CHUNK_ROWS < to; block++) {
    const own = rows === undefined ? outlooks(block) : joinChunks(chunksAt?.(block), outlooks);
    if (own === 'some' || (found !== undefined && own !== found)) return 'some';
    found = own;
  }
  return found!;
}

/** What is known of the rows of some chunks, which have a bit each. */
function joinChunks(chunks: Uint32Array | undefined, outlooks: Outlooks): Outlook {
  let found: Outlook | undefined;
  for (let word = 0; word < (chunks?.length ?? 0); word++) {
    for (let bits = chunks![word]!, chunk = word * 32; bits !== 0; bits >>>= 1, chunk++) {
      if ((bits & 1) === 0) continue;
      const own = outlooks(chunk);
      if (own === 'some' || (found !== undefined && own !== found)) return 'some';
      found = own;
    }
  }
  return found ?? 'some';
}

function judgeOf(selector: Selector): Outlooks | undefined {
  if (selector.kind === 'constant') return () => (selector.value === 1 ? 'all' : 'none');
  if (selector.kind === 'leaf') return judgeOfLeaf(selector);
  const parts = selector.of.map(judgeOf);
  if (parts.every((part) => part === undefined)) return undefined;
  const deciding = selector.kind === 'all' ? 'none' : 'all';
  return (chunk) => {
    const found = parts.map((part) => part?.(chunk) ?? 'some');
    if (found.includes(deciding)) return deciding;
    return found.includes('some') ? 'some' : found[0]!;
  };
}

function judgeOfLeaf({ verdict, held }: Leaf): Outlooks | undefined {
  if (held === undefined) return undefined;
  const mayPass = compileSearch(verdict, 1);
  const mayFail = compileSearch(verdict, 0);
  return (chunk) => {
    const codes = held[chunk];
    if (codes === undefined) return 'some';
    if (!mayPass(codes)) return 'none';
    return mayFail(codes) ? 'some' : 'all';
  };
}

/** Whether a chunk may hold a code of which a verdict says so. */
function compileSearch(verdict: Uint8Array, value: 0 | 1): (held: HeldCodes) => boolean {
  const codes: number[] = [];
  for (let code = verdict.indexOf(value); code !== -1; code = verdict.indexOf(value, code + 1)) {
    codes.push(code);
    if (codes.length > CODES_MAX) break;
  }
  if (codes.length <= CODES_MAX) return (held) => codes.some((code) => mayHold(held, code));
  // To tell that none of so many is there takes as long as to look at the rows.
  if (verdict.length > HELD_BITS_MAX) return () => true;
  const asked = toBits(verdict, value);
  return (held) => mayHoldAny(held, asked);
}
