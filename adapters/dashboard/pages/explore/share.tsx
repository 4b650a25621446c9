import { useEffect, useRef, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import type { CountBody } from '../../../../src/index.ts';
import { isAbort, messageOf, send } from '../server/api.ts';
import { Code } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Notice } from '../parts/text.tsx';
import { API, quoted, toCurl } from '../server/curl.ts';

interface ShareProps {
  readonly alias: string;
  readonly body: CountBody;
}

const FORMS: Readonly<Record<string, (props: ShareProps) => string>> = {
  curl: ({ alias, body }) => toCurl(`/v1/api/query/${alias}`, 'X-API-Key: <SECRET>', body),
  'request body': ({ body }) => JSON.stringify(body, null, 2),
  'client code': ({ alias, body }) => `import { createClient } from 'event-query/client';

const client = createClient({
  url: '${API}',
  tenant: '${alias}',
  apiKey: process.env.API_KEY,
});
const { events } = await client.query(${JSON.stringify(body, null, 2)});`,
  'CLI command': ({ alias, body }) =>
    `echo ${quoted(JSON.stringify(body))} | npx event-query query ${alias} --body -`,
  link: () => location.href,
};

/** The question in other words: for a shell, a program, a colleague. */
export function Share(props: ShareProps & { readonly onClose: () => void }) {
  return (
    <Dialog title="Copy query" onClose={props.onClose}>
      <p>
        The newest 100 events come first; pagination asks for more of them, or for those behind. The CLI
        command finds the events in the folder of the server; elsewhere, add <code>--db FILE</code>.
      </p>
      {Object.entries(FORMS).map(([name, write]) => (
        <Code key={name} text={write(props)} label={name} />
      ))}
    </Dialog>
  );
}

const EXPORTS: Readonly<Record<string, readonly [type: string, ending: string]>> = {
  NDJSON: ['application/x-ndjson', 'ndjson'],
  CSV: ['text/csv', 'csv'],
};

const MB = 1_000_000;
/** How much is put into one piece: the browser keeps pieces out of the page's memory, some on disk. */
const PIECE_BYTES = 8 * MB;

/** Reads an answer into a file, piece by piece; `onBytes` is told how much there is. */
async function collect(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  type: string,
  onBytes: (bytes: number) => void,
) {
  const pieces: Blob[] = [];
  let open: Uint8Array<ArrayBuffer>[] = [];
  let [size, openSize] = [0, 0];
  const put = () => {
    pieces.push(new Blob(open));
    [open, openSize] = [[], 0];
    onBytes(size);
  };
  for (const reader = body.getReader(); ;) {
    const { value, done } = await reader.read();
    if (done) break;
    open.push(value);
    openSize += value.length;
    size += value.length;
    if (openSize >= PIECE_BYTES) put();
  }
  put();
  return new Blob(pieces, { type });
}

/** Every event that matches, as a file, all properties included. */
export function Export({ alias, body }: ShareProps) {
  const [state, setState] = useState<string>();
  const [error, setError] = useState<string>();
  const [bytes, setBytes] = useState(0);
  const running = useRef<AbortController>(undefined);
  // Nobody waits for a file whose page was left.
  useEffect(() => () => running.current?.abort(), []);
  const save = async (form: string) => {
    const [type, ending] = EXPORTS[form]!;
    const controller = new AbortController();
    running.current = controller;
    setError(undefined);
    setState(form);
    setBytes(0);
    try {
      const answer = await send(`query/export/${alias}`, body, {
        signal: controller.signal,
        headers: { Accept: type },
      });
      const url = URL.createObjectURL(await collect(answer.body!, type, setBytes));
      const link = document.createElement('a');
      link.href = url;
      link.download = `${alias}.${ending}`;
      link.click();
      // The browser has taken it when it comes back.
      setTimeout(() => URL.revokeObjectURL(url), 60_000);
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
      {error !== undefined && <Notice kind="error">{error}</Notice>}
    </>
  );
}
