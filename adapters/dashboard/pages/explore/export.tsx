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

/** The forms of a file, with the words of the button. */
const FORMS = [
  ['NDJSON', 'Export NDJSON'],
  ['CSV', 'Export CSV'],
  ['Excel', 'Export for Excel'],
] as const;
type Form = (typeof FORMS)[number][0];

/**
 * The list separator of the browser's country, which is that of Excel: a semicolon where a comma begins the
 * decimals.
 */
const separatorHere = () => (new Intl.NumberFormat(navigator.language).format(0.5).includes(',') ? ';' : ',');
const SEPARATOR_NAMES = { ',': 'comma', ';': 'semicolon' } as const;

/** The type of each form as the server is asked for it, without its last line. */
const typeOf = (form: Form): string =>
  ({
    NDJSON: 'application/x-ndjson',
    CSV: 'text/csv',
    Excel: `text/csv; bom=present; times=spreadsheet; separator=${SEPARATOR_NAMES[separatorHere()]}`,
  })[form];

/** The last line by which an answer is known to be complete. */
const LAST_LINES = { ndjson: '{"end":true}\n', csv: '"end"\r\n' } as const;

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
      const isChosen = form !== 'NDJSON' && columns !== undefined;
      const asked = isChosen ? 'NDJSON' : form;
      const headers = { Accept: `${typeOf(asked)}; end=present` };
      const shows = isChosen && columns.includes('receivedAt');
      const question = shows ? { ...body, include: ['receivedAt'] } : body;
      const answer = await send(`query/export/${alias}`, question, { signal, headers });
      const last = LAST_LINES[asked === 'NDJSON' ? 'ndjson' : 'csv'];
      const file = answer.body!.pipeThrough(counting(setBytes)).pipeThrough(whole(last));
      const sheet = form === 'Excel' ? separatorHere() : undefined;
      return isChosen ? file.pipeThrough(toColumns(columns, sheet)) : file;
    };
    try {
      const isCsv = form !== 'NDJSON';
      await saveAs({ name: `${name}.${isCsv ? 'csv' : 'ndjson'}`, type: typeOf(isCsv ? 'CSV' : form) }, read);
    } catch (failed) {
      if (!isAbort(failed)) setError(messageOf(failed));
    }
    setState(undefined);
  };
  return (
    <>
      {FORMS.map(([form, text]) => (
        <button
          key={form}
          type="button"
          disabled={state !== undefined}
          title={titleOf(form, columns !== undefined)}
          onClick={() => void save(form)}
        >
          {state === form ? `Exporting… ${figure(Math.floor(bytes / MB))} MB` : text}
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

/** What a button says about its file beyond its words. */
function titleOf(form: Form, hasColumns: boolean): string | undefined {
  if (form === 'NDJSON') return undefined;
  const shown = hasColumns ? 'All matching events, with the columns shown' : 'All matching events';
  if (form === 'CSV') return hasColumns ? shown : undefined;
  const sign = SEPARATOR_NAMES[separatorHere()];
  return `${shown}: CSV that Excel opens by a double click, separated by ${sign}s, with times in UTC`;
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
