import type { CountBody } from '../../../../src/index.ts';
import { Code } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { API, quoted, toCurl } from '../server/curl.ts';

/** A question, and the tenant that it is about. */
export interface SharedQuestion {
  readonly alias: string;
  readonly body: CountBody;
}

/** A form of the question, by the name of its tab. */
interface Form {
  readonly tab: string;
  readonly label: string;
  readonly write: (question: SharedQuestion) => string;
}

const FORMS: readonly Form[] = [
  {
    tab: 'curl',
    label: 'curl',
    write: ({ alias, body }) => toCurl(`/v1/api/query/${alias}`, 'X-API-Key: <SECRET>', body),
  },
  { tab: 'Body', label: 'request body', write: ({ body }) => JSON.stringify(body, null, 2) },
  {
    tab: 'Client',
    label: 'client code',
    write: ({ alias, body }) => `import { createClient } from 'event-query/client';

const client = createClient({
  url: '${API}',
  tenant: '${alias}',
  apiKey: process.env.API_KEY,
});
const { events } = await client.query(${JSON.stringify(body, null, 2)});`,
  },
  {
    tab: 'Command',
    label: 'CLI command',
    write: ({ alias, body }) =>
      `echo ${quoted(JSON.stringify(body))} | npx event-query query ${alias} --body -`,
  },
];

/** The question in other forms, for a shell and for a program. */
export function Share({ onClose, ...question }: SharedQuestion & { readonly onClose: () => void }) {
  const tabs = FORMS.map(({ tab, label, write }) => ({
    name: tab,
    content: () => (
      <>
        <Code text={write(question)} label={label} />
        {tab === 'Command' && (
          <p class="hint">
            Run it in the server’s folder; elsewhere, add <code>--db FILE</code>.
          </p>
        )}
      </>
    ),
  }));
  return (
    <Dialog title="Copy query" onClose={onClose}>
      <p>This returns the newest 100 events; use pagination for more.</p>
      <Tabs label="Forms of the query" tabs={tabs} />
    </Dialog>
  );
}
