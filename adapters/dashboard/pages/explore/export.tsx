import { useEffect, useRef, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { Notice } from '../parts/text.tsx';
import { isAbort } from '../server/aborted.ts';
import { messageOf, send } from '../server/api.ts';
import { toColumns } from './columns-csv.ts';
import type { Chunk } from './chunk.ts';
import { whole } from './whole.ts';
import { saveAs, keepsNothing, type Chunks } from './save.ts';
import type { SharedQuestion } from './share.tsx';

const FORMS = ['NDJSON', 'CSV'] as const;
type Form = (typeof FORMS)[number];
const TYPES: Readonly<Record<Form, string>> = { NDJSON: 'application/x-ndjson', CSV: 'text/csv' };
/** The last line of each form, by which an answer is known to be complete. */
const LAST_LINES: Readonly<Record<Form, string>> = { NDJSON: '{"end":true}\n', CSV: '"end"\r\n' };

const MB = 1_000_000;

interface ExportProps extends SharedQuestion {
  /** The beginning of the file's name. */
  readonly name: string;
  /** The paths of the columns of a CSV file; absent for all that the events have. */
  readonly columns?: readonly string[] | undefined;
}

/** Exports all matching events as a file: whole, or as CSV with the columns that are shown. */
export function Export({ alias, body, name, columns }: ExportProps) {
  const [state, setState] = useState<Form>();
  const [error, setError] = useState<string>();
  const [bytes, setBytes] = useState(0);
  const running = useRef<AbortController>(undefined);
  // If the user leaves the page, the export stops.
  useEffect(() => () => running.current?.abort(), []);
  const save = async (form: Form) => {
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setError(undefined);
    setState(form);
    setBytes(0);
    const read = async (): Promise<Chunks> => {
      const isChosen = form === 'CSV' && columns !== undefined;
      const asked = isChosen ? 'NDJSON' : form;
      const headers = { Accept: `${TYPES[asked]}; end=present` };
      const shows = isChosen && columns.includes('receivedAt');
      const question = shows ? { ...body, include: ['receivedAt'] } : body;
      const answer = await send(`query/export/${alias}`, question, { signal, headers });
      const file = answer.body!.pipeThrough(counting(setBytes)).pipeThrough(whole(LAST_LINES[asked]));
      return isChosen ? file.pipeThrough(toColumns(columns)) : file;
    };
    try {
      await saveAs({ name: `${name}.${form.toLowerCase()}`, type: TYPES[form] }, read);
    } catch (failed) {
      if (!isAbort(failed)) setError(messageOf(failed));
    }
    setState(undefined);
  };
  return (
    <>
      {FORMS.map((form) => (
        <button
          key={form}
          type="button"
          disabled={state !== undefined}
          title={
            form === 'CSV' && columns !== undefined
              ? 'All matching events, with the columns shown'
              : undefined
          }
          onClick={() => void save(form)}
        >
          {state === form ? `Exporting… ${figure(Math.floor(bytes / MB))} MB` : `Export ${form}`}
        </button>
      ))}
      {state !== undefined && (
        <button type="button" class="ghost" onClick={() => running.current?.abort()}>
          Stop
        </button>
      )}
      {state !== undefined && !keepsNothing && (
        <p class="hint">This browser holds the file in memory until it is complete.</p>
      )}
      {error !== undefined && <Notice kind="error">{error}</Notice>}
    </>
  );
}

/** Calls `onBytes` with the number of bytes received so far, once per further megabyte. */
function counting(onBytes: (bytes: number) => void): TransformStream<Chunk, Chunk> {
  let [size, told] = [0, 0];
  return new TransformStream({
    transform: (chunk, controller) => {
      size += chunk.length;
      if (size - told >= MB) onBytes((told = size));
      controller.enqueue(chunk);
    },
  });
}
