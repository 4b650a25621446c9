import type { Breakdown } from '../../../../src/index.ts';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import { periodBefore } from '../time/asked.ts';
import { within, withoutRange, type AskedQuestion } from './asked-question.ts';
import { changesOf, type GroupChanges } from './compared-groups.ts';
import { GROUPS_MAX } from './group-search.ts';

/** The groups of a question beside those of the period before; undefined while they are not asked for. */
export function useGroupChanges(
  alias: string,
  asked: AskedQuestion,
  by: string,
  compares: boolean,
): GroupChanges | undefined {
  const range = periodBefore(asked)?.range;
  const isAsked = compares && range !== undefined;
  const { value, isOld } = useAnswer(
    async (signal) => {
      if (!isAsked) return undefined;
      const bodies = [asked.body, within(withoutRange(asked.body), range)];
      const [now, before] = await Promise.all(
        bodies.map((body) =>
          ask<Breakdown>(`query/breakdown/${alias}`, { ...body, by, size: GROUPS_MAX }, { signal }),
        ),
      );
      return changesOf(now!, before!);
    },
    [alias, asked.subject, by, isAsked],
    { since: asked.since, isAside: true },
  );
  return isAsked && !isOld ? value : undefined;
}
