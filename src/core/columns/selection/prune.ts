import type { Leaf, Pruning, ChunkPruning, RowRange, Selector } from './selector.ts';
import { mayContain, mayContainAny, toBits, type Zone } from '../column/zone-map.ts';
import { CHUNK_ROWS, SOUGHT_CODES_MAX, ZONE_BITS_MAX } from '../log/sizes.ts';

/** The selector, which can now tell from the zone maps of its columns which chunks need no scan. */
export function withPruning(selector: Selector): Selector {
  if (selector.kind === 'constant') return selector;
  const known: Pruning[] = [];
  // Most questions are answered before any chunk is pruned.
  let compiled: ChunkPruning | undefined;
  const pruneChunk: ChunkPruning = (chunk) =>
    (known[chunk] ??= (compiled ??= compilePruning(selector) ?? (() => 'scan'))(chunk));
  if (selector.kind !== 'leaf') return { kind: selector.kind, of: selector.of, pruneChunk };
  // V8 gives an object that is spread and added to a shape of its own each time, which costs more than to
  // look at some thousand rows.
  const { kind, codes, mask, countAll, isOwn, zoneMap } = selector;
  return { kind, codes, mask, countAll, isOwn, zoneMap, pruneChunk };
}

/** Whether the rows of a range need a scan, according to the zones of their chunks. */
export function prune(selector: Selector, { rows, chunksAt, from, to }: RowRange): Pruning {
  if (selector.kind === 'constant') return selector.value === 1 ? 'all' : 'skip';
  const { pruneChunk } = selector;
  if (pruneChunk === undefined || from >= to) return 'scan';
  let found: Pruning | undefined;
  for (let block = Math.floor(from / CHUNK_ROWS); block * CHUNK_ROWS < to; block++) {
    const own = rows === undefined ? pruneChunk(block) : pruneChunks(chunksAt?.(block), pruneChunk);
    if (own === 'scan' || (found !== undefined && own !== found)) return 'scan';
    found = own;
  }
  return found!;
}

/** The same for a set of chunks, with one bit for each chunk. */
function pruneChunks(chunks: Uint32Array | undefined, pruneChunk: ChunkPruning): Pruning {
  let found: Pruning | undefined;
  for (let word = 0; word < (chunks?.length ?? 0); word++) {
    for (let bits = chunks![word]!, chunk = word * 32; bits !== 0; bits >>>= 1, chunk++) {
      if ((bits & 1) === 0) continue;
      const own = pruneChunk(chunk);
      if (own === 'scan' || (found !== undefined && own !== found)) return 'scan';
      found = own;
    }
  }
  return found ?? 'scan';
}

function compilePruning(selector: Selector): ChunkPruning | undefined {
  if (selector.kind === 'constant') return () => (selector.value === 1 ? 'all' : 'skip');
  if (selector.kind === 'leaf') return compileLeafPruning(selector);
  const parts = selector.of.map(compilePruning);
  if (parts.every((part) => part === undefined)) return undefined;
  const deciding = selector.kind === 'all' ? 'skip' : 'all';
  return (chunk) => {
    const found = parts.map((part) => part?.(chunk) ?? 'scan');
    if (found.includes(deciding)) return deciding;
    return found.includes('scan') ? 'scan' : found[0]!;
  };
}

function compileLeafPruning({ mask, zoneMap }: Leaf): ChunkPruning | undefined {
  if (zoneMap === undefined) return undefined;
  const mayPass = compileSearch(mask, 1);
  const mayFail = compileSearch(mask, 0);
  return (chunk) => {
    const zone = zoneMap[chunk];
    if (zone === undefined) return 'scan';
    if (!mayPass(zone)) return 'skip';
    return mayFail(zone) ? 'scan' : 'all';
  };
}

/** Makes a test of zones: may the chunk contain a code whose entry in the mask is `value`? */
function compileSearch(mask: Uint8Array, value: 0 | 1): (zone: Zone) => boolean {
  const codes: number[] = [];
  for (let code = mask.indexOf(value); code !== -1; code = mask.indexOf(value, code + 1)) {
    codes.push(code);
    if (codes.length > SOUGHT_CODES_MAX) break;
  }
  if (codes.length <= SOUGHT_CODES_MAX) return (zone) => codes.some((code) => mayContain(zone, code));
  // Looking for so many codes takes as long as scanning the rows.
  if (mask.length > ZONE_BITS_MAX) return () => true;
  const sought = toBits(mask, value);
  return (zone) => mayContainAny(zone, sought);
}
