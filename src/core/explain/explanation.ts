import type { OptionalAnswers } from '../columns/answers.ts';
import type { Scheduler } from '../bounds/scheduler.ts';
import type { Condition } from '../filter/condition.ts';
import { pathText } from '../filter/path.ts';
import type { Signal } from '../base/signal.ts';
import type { Properties } from '../query/properties.ts';
import type { AnswerPlan } from '../query/answer-plan.ts';
import type { PagedQuery } from '../query/parse-query.ts';
import { nearestTo } from './nearest.ts';
import { toUnderstoodBody, type UnderstoodBody } from './understood.ts';

/** A path that no event has ever had. */
export interface UnknownPath {
  /** The path as the filter names it. */
  readonly path: string;
  /**
   * Up to three paths that may have been meant, the nearest first; empty for all unknown paths after the
   * tenth.
   */
  readonly nearest: readonly string[];
}

/** The meaning of a query and how it will be answered. */
export interface Explanation {
  /** The query as it was understood, as an equivalent body. */
  readonly query: UnderstoodBody;
  /** The property paths of the query that no event has ever had. */
  readonly unknownPaths: readonly UnknownPath[];
  /** Whether events have more paths than are kept, so that an unknown path may be one that is not kept. */
  readonly more: boolean;
  /** How the store would answer it now, determined without reading events. */
  readonly plan: AnswerPlan;
}

/** Suggestions are sought for this many unknown paths, because each is compared with all known ones. */
const COMPARED_MAX = 10;

const NOTHING_KNOWN: Properties = { properties: [], more: false };

/** Explains the query of a tenant. */
export type Explain = (tenantId: string, asked: PagedQuery, signal?: Signal) => Promise<Explanation>;

/** Creates the function that explains queries. */
export function createExplain({
  answers,
  scheduler,
}: {
  readonly answers: Pick<OptionalAnswers, 'properties' | 'plan'>;
  readonly scheduler: Scheduler;
}): Explain {
  return async (tenantId, asked, signal) => {
    const { query } = asked;
    const named = [...new Set(propertyPathsOf(query.condition))];
    // Without a property path in the query, the known paths are not needed and no event is read for them.
    const { properties, more } =
      named.length === 0 ? NOTHING_KNOWN : await answers.properties(tenantId, undefined, signal);
    const known = properties.map(({ path }) => path);
    const have = new Set(known);
    const unknown = named.filter((path) => !have.has(path));
    const unknownPaths = await scheduler.run(tenantId, signal, async (pacer) => {
      const found: UnknownPath[] = [];
      for (const path of unknown) {
        const nearest = found.length < COMPARED_MAX ? await nearestTo(path, known, pacer) : [];
        found.push({ path, nearest });
      }
      return found;
    });
    const plan = await answers.plan(tenantId, query, signal);
    return { query: toUnderstoodBody(asked), unknownPaths, more, plan };
  };
}

/** The paths below `properties` that a condition names. */
function propertyPathsOf(condition: Condition): readonly string[] {
  switch (condition.kind) {
    case 'during':
      return [];
    case 'test':
      return condition.path.root === 'properties' ? [pathText(condition.path)] : [];
    case 'not':
      return propertyPathsOf(condition.of);
    default:
      return condition.of.flatMap(propertyPathsOf);
  }
}
