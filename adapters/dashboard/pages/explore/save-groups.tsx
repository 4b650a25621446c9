import { useId, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { Notice } from '../parts/text.tsx';
import { isAbort } from '../server/aborted.ts';
import { messageOf } from '../server/api.ts';
import { isFiltered, type AskedQuestion } from './asked-question.ts';
import { fileName, fileWord } from './file-name.ts';
import { toGroupsCsv, type AnsweredGroups } from './groups-csv.ts';
import { saveText } from './save.ts';

interface SaveGroupsProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly answered: AnsweredGroups;
  /** Whether the answer is one to an earlier question. */
  readonly isStale: boolean;
}

/** Saves the groups of the answer as a CSV file. It says so if there are more. */
export function SaveGroups({ alias, asked, answered, isStale }: SaveGroupsProps) {
  const { groups, groupsTotal, property } = answered;
  const [error, setError] = useState<string>();
  const hint = useId();
  const isPartial = groupsTotal > groups.length;
  const save = () => {
    setError(undefined);
    const part = isPartial ? `_first-${groups.length}-of-${groupsTotal}` : '';
    const name = fileName(alias, asked, isFiltered(asked.body));
    const as = { name: `${name}_by-${fileWord(property)}${part}.csv`, type: 'text/csv' };
    saveText(as, toGroupsCsv(answered)).catch((failed: unknown) => {
      if (!isAbort(failed)) setError(messageOf(failed));
    });
  };
  return (
    <>
      <button
        type="button"
        class="small"
        disabled={isStale}
        aria-describedby={isPartial ? hint : undefined}
        onClick={save}
      >
        Save as CSV
      </button>
      {isPartial && (
        <span class="hint" id={hint}>
          The file holds the {figure(groups.length)} most frequent of {figure(groupsTotal)} values.
        </span>
      )}
      {error !== undefined && <Notice kind="error">{error}</Notice>}
    </>
  );
}
