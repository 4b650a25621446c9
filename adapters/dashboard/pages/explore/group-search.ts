import type { Breakdown, CountBody } from '../../../../src/index.ts';
import type { Group } from '../../../../src/store-kit.ts';
import { figure } from '../parts/figure.ts';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { hasText } from './filter/comparisons.ts';
import { groupsWith, holdsAll, mergeGroups } from './filter/found-groups.ts';
import type { AskedQuestion } from './asked-question.ts';

/** How many groups are asked for at first. */
export const GROUPS_FIRST = 10;
/** The largest number of groups that an answer holds. */
export const GROUPS_MAX = 1000;

/** The question for the groups of a path, `size` of them at most. */
export const questionOfGroups = (body: CountBody, by: string, size = GROUPS_FIRST) =>
  ({ ...body, by, size, distinct: 'userId' }) as const;

interface SearchOptions {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly by: string;
  /** The searched text; empty for no search. */
  readonly text: string;
  /** The answer that the page shows; undefined while there is none to the current question. */
  readonly known: Breakdown | undefined;
}

/** What a search among groups has found, and what the page says about that. */
interface FoundGroups {
  readonly groups: readonly Group[];
  readonly said: string;
}

/**
 * Searches the groups of a question for a text. If the page does not show all of them, as many as an answer
 * holds are asked for. If there are more, the server searches these for the exact text.
 */
export function useGroupSearch({ alias, asked, by, text, known }: SearchOptions): FoundGroups {
  const about = [alias, asked.subject, by];
  const groupsOf = (body: CountBody, signal: AbortSignal) =>
    ask<Breakdown>(`query/breakdown/${alias}`, questionOfGroups(body, by, GROUPS_MAX), { signal });
  const options = { since: asked.since, isAside: true };
  const needsAll = text !== '' && known !== undefined && !holdsAll(known);
  const all = useAnswer(
    async (signal) => (needsAll ? groupsOf(asked.body, signal) : undefined),
    [...about, needsAll],
    options,
  );
  const top = needsAll ? (all.isOld ? undefined : all.value) : known;
  const far = text !== '' && top !== undefined && !holdsAll(top) ? text : '';
  const more = useAnswer(
    async (signal) => {
      if (far === '') return undefined;
      const filterSet = [...(asked.body.filterSet ?? []), hasText(by, far)];
      return groupsOf({ ...asked.body, filterSet }, signal);
    },
    [...about, far],
    options,
  );
  if (all.error !== undefined) return { groups: [], said: all.error };
  const near = groupsWith(top?.groups ?? [], text);
  if (top === undefined || more.loading) return { groups: near, said: 'Searching…' };
  const total = `${figure(top.groupsTotal)} values`;
  if (far === '') return { groups: near, said: `${figure(near.length)} of ${total}` };
  const most = `${figure(top.groups.length)} most frequent`;
  // The values of some fields, such as instants, have no text that a filter could name.
  if (more.error !== undefined)
    return {
      groups: near,
      said: `${figure(near.length)} of the ${most} of ${total}. No others are searched.`,
    };
  const groups = mergeGroups(near, more.value?.groups ?? []);
  const said = `${figure(groups.length)} found among ${total}. Beyond the ${most}, capital letters count.`;
  return { groups, said };
}
