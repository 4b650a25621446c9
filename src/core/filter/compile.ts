import { compileClosures, type Predicate } from './compile-closures.ts';
import { compareInstants } from './compile-dates.ts';
import { compileSource } from './compile-source.ts';
import type { Condition } from './condition.ts';
import { isSameCondition, sketchCondition } from './condition-identity.ts';

export type { Predicate } from './compile-closures.ts';

export interface CompileOptions {
  /**
   * Whether to generate code; by default where it is allowed. `true` throws EvalError where it is forbidden
   * (Workers, a content security policy, `node --disallow-code-generation-from-strings`).
   */
  readonly codeGeneration?: boolean;
}

/**
 * Makes one function of a condition: it says of an event what `matches` says, faster. The functions of equal
 * conditions that were compiled lately are used again. A condition must not be changed afterwards.
 */
export function compilePredicate(condition: Condition, options: CompileOptions = {}): Predicate {
  const generate = options.codeGeneration ?? isCodeGenerationAllowed();
  const cache = generate ? generated : closures;
  const { hash, bytes } = sketchCondition(condition);
  const known = cache.young.get(hash) ?? cache.old.get(hash);
  const hit = known !== undefined && isSameCondition(known.condition, condition);
  const predicate = hit ? known.predicate : compileAnew(condition, generate);
  if (bytes <= KEPT_BYTES_MAX && !(hit && cache.young.has(hash))) keep(cache, hash, { condition, predicate });
  return predicate;
}

function compileAnew(condition: Condition, generate: boolean): Predicate {
  const overInstants = compareInstants(condition);
  return generate ? compileSource(overInstants) : compileClosures(overInstants);
}

let codeGenerationAllowed: boolean | undefined;

/** Whether this place lets code be generated; tried once. */
export function isCodeGenerationAllowed(): boolean {
  codeGenerationAllowed ??= tryCodeGeneration();
  return codeGenerationAllowed;
}

function tryCodeGeneration(): boolean {
  try {
    return typeof compileSource({ kind: 'all', of: [] }) === 'function';
  } catch {
    return false;
  }
}

/** The largest condition that is kept: longer lists of operands cost memory, and little to compile again. */
const KEPT_BYTES_MAX = 8192;
/** How many predicates one generation keeps. */
const GENERATION_SIZE_MAX = 256;

interface Compiled {
  readonly condition: Condition;
  readonly predicate: Predicate;
}

/**
 * What was compiled lately, by hash: two generations of maps instead of an order of use, because then a hit
 * is one look-up. What is used again moves into the young one; when that is full, the old one is dropped.
 */
interface Cache {
  young: Map<number, Compiled>;
  old: Map<number, Compiled>;
}

const generated: Cache = { young: new Map(), old: new Map() };
const closures: Cache = { young: new Map(), old: new Map() };

/** Of two conditions with one hash the later stays, so that no choice of texts makes a look-up long. */
function keep(cache: Cache, hash: number, compiled: Compiled): void {
  if (cache.young.size >= GENERATION_SIZE_MAX) {
    cache.old = cache.young;
    cache.young = new Map();
  }
  cache.young.set(hash, compiled);
}
