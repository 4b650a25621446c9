import type { CountBody } from '../../../../src/index.ts';
import { Code } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { API, quoted, toCurl } from '../server/curl.ts';

/** A question, and the tenant that it is about. */
export interface SharedQuestion {
  readonly alias: string;
  readonly body: CountBody;
}

const FORMS: Readonly<Record<string, (question: SharedQuestion) => string>> = {
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

/** The question in other forms: for a shell, for a program, and as a link for a colleague. */
export function Share({ onClose, ...question }: SharedQuestion & { readonly onClose: () => void }) {
  return (
    <Dialog title="Copy query" onClose={onClose}>
      <p>
        This returns the newest 100 events; use pagination for more. Run the CLI command in the server’s
        folder; elsewhere, add <code>--db FILE</code>.
      </p>
      {Object.entries(FORMS).map(([name, write]) => (
        <Code key={name} text={write(question)} label={name} />
      ))}
    </Dialog>
  );
}
