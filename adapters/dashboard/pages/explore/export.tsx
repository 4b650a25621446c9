import { useEffect, useRef, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { Notice } from '../parts/text.tsx';
import { isAbort, messageOf, send } from '../server/api.ts';
import { saveAs, keepsNothing, type Chunks } from './save.ts';
import type { SharedQuestion } from './share.tsx';

const EXPORTS: Readonly<Record<string, readonly [type: string, ending: string]>> = {
  NDJSON: ['application/x-ndjson', 'ndjson'],
  CSV: ['text/csv', 'csv'],
};

const MB = 1_000_000;

/** Exports all matching events, with all properties, as a file. */
export function Export({
  alias,
  body,
  name = alias,
}: SharedQuestion & { /** The beginning of the file's name. */ readonly name?: string }) {
  const [state, setState] = useState<string>();
  const [error, setError] = useState<string>();
  const [bytes, setBytes] = useState(0);
  const running = useRef<AbortController>(undefined);
  // If the user leaves the page, the export stops.
  useEffect(() => () => running.current?.abort(), []);
  const save = async (form: string) => {
    const [type, ending] = EXPORTS[form]!;
    const controller = new AbortController();
    const { signal } = controller;
    running.current = controller;
    setError(undefined);
    setState(form);
    setBytes(0);
    const read = async (): Promise<Chunks> => {
      const answer = await send(`query/export/${alias}`, body, { signal, headers: { Accept: type } });
      return answer.body!.pipeThrough(counting(setBytes));
    };
    try {
      await saveAs({ name: `${name}.${ending}`, type }, read);
    } catch (failed) {
      if (!isAbort(failed)) setError(messageOf(failed));
    }
    setState(undefined);
  };
  return (
    <>
      {Object.keys(EXPORTS).map((form) => (
        <button key={form} type="button" disabled={state !== undefined} onClick={() => void save(form)}>
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

type Chunk = Uint8Array<ArrayBuffer>;
