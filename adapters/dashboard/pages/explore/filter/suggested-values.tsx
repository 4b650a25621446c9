import type { Breakdown, CountBody } from '../../../../../src/index.ts';
import type { Group, Scalar } from '../../../../../src/store-kit.ts';
import { aliasNow } from '../../address/place.ts';
import { cut } from '../../address/written.ts';
import { figure } from '../../parts/figure.ts';
import { ask } from '../../server/api.ts';
import { useAnswer } from '../../server/loading.ts';
import type { OpenQuestion } from './open-question.ts';
import { hasText } from './comparisons.ts';
import { groupsWith, mergeGroups, nameOfGroup } from './found-groups.ts';
import { typeOf } from './value-type.ts';

/** How many values are asked for, and how many of them are shown. */
const ASKED_MAX = 100;
const SHOWN_MAX = 8;
/** How many characters of a value are shown. */
const TEXT_LENGTH = 120;

interface SuggestedValuesProps {
  /** The path of the filter. */
  readonly path: string;
  /** The question without this filter. */
  readonly asked: OpenQuestion;
  readonly typed: string;
  /** Whether the comparison takes a value of this type. */
  readonly fits: (value: Scalar) => boolean;
  readonly onChoose: (value: Scalar) => void;
}

/**
 * The most frequent values at a path in the events of the current question, with their numbers of events. If
 * the typed text is in few of them and there are more, values with this text are asked for.
 */
export function SuggestedValues({ path, asked, typed, fits, onChoose }: SuggestedValuesProps) {
  const alias = aliasNow.value;
  const about = [alias, path, asked.subject];
  const { body, since } = asked;
  const groupsOf = (narrowed: CountBody, size: number, signal: AbortSignal) =>
    ask<Breakdown>(`query/breakdown/${alias}`, { ...narrowed, by: path, size }, { signal });
  const top = useAnswer((signal) => groupsOf(body, ASKED_MAX, signal), about, {
    isAside: true,
    since,
  });
  const text = typed.trim();
  const fitting = (groups: readonly Group[] = []) => groupsWith(groups, text).filter(({ key }) => fits(key));
  const known = top.isOld ? undefined : top.value;
  const near = fitting(known?.groups);
  const isPartial = known !== undefined && known.groupsTotal > known.groups.length;
  const search = text !== '' && isPartial && near.length < SHOWN_MAX ? text : '';
  const more = useAnswer(
    async (signal) => {
      if (search === '') return undefined;
      const narrowed = { ...body, filterSet: [...(body.filterSet ?? []), hasText(path, search)] };
      return groupsOf(narrowed, SHOWN_MAX, signal);
    },
    [...about, search],
    { isAside: true, since },
  );
  const found = search === '' || more.isOld ? [] : fitting(more.value?.groups);
  const shown = mergeGroups(near, found).slice(0, SHOWN_MAX);
  if (shown.length === 0) return null;
  const types = new Set(shown.map(({ key }) => typeof key));
  return (
    <ul class="values wide" aria-label="Suggested values">
      {shown.map((group) => (
        <li key={nameOfGroup(group)}>
          <button type="button" class="small" onClick={() => onChoose(group.key)}>
            <bdi>
              {cut(
                types.size > 1 ? JSON.stringify(group.key) : String(group.key) || '(empty text)',
                TEXT_LENGTH,
              )}
            </bdi>{' '}
            <span class="muted">
              {types.size > 1 ? `${typeOf(group.key)} · ` : ''}
              {figure(group.count)}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}
