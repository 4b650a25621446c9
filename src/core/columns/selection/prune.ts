import type { ConditionSelector, Leaf, Pruning, SegmentPruning, Selector } from './selector.ts';
import { mayContain, mayContainAny, toBits, type Zone } from '../column/zone-map.ts';
import { SOUGHT_CODES_MAX, ZONE_BITS_MAX } from '../log/sizes.ts';

/** The selector, which can now tell from the zone maps of its columns which segments need no scan. */
export function withPruning(selector: ConditionSelector): ConditionSelector {
  if (selector.kind === 'constant') return selector;
  const known: Pruning[] = [];
  // Most questions are answered before any segment is pruned.
  let compiled: SegmentPruning | undefined;
  const prune: SegmentPruning = (segment) =>
    (known[segment] ??= (compiled ??= compilePruning(selector) ?? (() => 'scan'))(segment));
  if (selector.kind !== 'leaf') return { kind: selector.kind, of: selector.of, prune };
  // V8 gives an object that is spread and added to a shape of its own each time, which costs more than to
  // look at some thousand rows.
  const { kind, codes, mask, countAll, isOwn, zoneMap } = selector;
  return { kind, codes, mask, countAll, isOwn, zoneMap, prune };
}

/** Whether a segment needs a scan, according to its zones. */
export function pruneSegment(selector: Selector, segment: number): Pruning {
  if (selector.kind === 'constant') return selector.value === 1 ? 'all' : 'skip';
  return selector.prune?.(segment) ?? 'scan';
}

function compilePruning(selector: ConditionSelector): SegmentPruning | undefined {
  if (selector.kind === 'constant') return () => (selector.value === 1 ? 'all' : 'skip');
  if (selector.kind === 'leaf') return compileLeafPruning(selector);
  const parts = selector.of.map(compilePruning);
  if (parts.every((part) => part === undefined)) return undefined;
  const deciding = selector.kind === 'all' ? 'skip' : 'all';
  return (segment) => {
    const found = parts.map((part) => part?.(segment) ?? 'scan');
    if (found.includes(deciding)) return deciding;
    return found.includes('scan') ? 'scan' : found[0]!;
  };
}

function compileLeafPruning({ mask, zoneMap }: Leaf): SegmentPruning | undefined {
  if (zoneMap === undefined) return undefined;
  const mayPass = compileSearch(mask, 1);
  const mayFail = compileSearch(mask, 0);
  return (segment) => {
    const zone = zoneMap[segment];
    if (zone === undefined) return 'scan';
    if (!mayPass(zone)) return 'skip';
    return mayFail(zone) ? 'scan' : 'all';
  };
}

/** Makes a test of zones: may the segment contain a code whose entry in the mask is `value`? */
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
