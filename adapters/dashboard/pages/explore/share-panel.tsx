import { isFiltered, type AskedQuestion } from './asked-question.ts';
import { CopyLink } from './copy-link.tsx';
import { Export } from './export.tsx';
import { fileName } from './file-name.ts';

interface SharePanelProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  /** The paths of the columns of the table; undefined for all. */
  readonly columns: readonly string[] | undefined;
  /** Shows the question in other forms. */
  readonly onQuery: () => void;
}

/** What to do with a question: its link, its other forms, and all of its events as a file. */
export function SharePanel({ alias, asked, columns, onQuery }: SharePanelProps) {
  const { body } = asked;
  return (
    <>
      <CopyLink />
      <button type="button" onClick={onQuery}>
        Copy query
      </button>
      <Export alias={alias} body={body} name={fileName(alias, asked, isFiltered(body))} columns={columns} />
    </>
  );
}
