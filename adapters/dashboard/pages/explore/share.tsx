import { useState } from 'preact/hooks';
import type { CountBody } from '../../../../src/index.ts';
import { place } from '../address/place.ts';
import { Code } from '../parts/copy.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Field, Select } from '../parts/field.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { API, quoted, toCurl } from '../server/curl.ts';
import type { AskedQuestion } from './asked-question.ts';
import { questionsShown, type ShownQuestion } from './shown-questions.ts';

/** A question, and the tenant that it is about. */
export interface SharedQuestion {
  readonly alias: string;
  readonly body: CountBody;
}

/** A form of the question, by the name of its tab. */
interface Form {
  readonly tab: string;
  readonly label: string;
  readonly write: (alias: string, question: ShownQuestion) => string;
}

/** What a method of the client gives, as code names it. */
const RESULTS: Readonly<Record<ShownQuestion['method'], string>> = {
  query: '{ events }',
  top: 'events',
  count: 'count',
  breakdown: 'breakdown',
  compare: 'differences',
};

/** The path of the API that answers a method. */
const pathOf = (alias: string, method: ShownQuestion['method']) =>
  `/v1/api/query/${method === 'query' ? '' : `${method}/`}${alias}`;

const FORMS: readonly Form[] = [
  {
    tab: 'curl',
    label: 'curl',
    write: (alias, { method, body }) => toCurl(pathOf(alias, method), 'X-API-Key: <SECRET>', body),
  },
  { tab: 'Body', label: 'request body', write: (_alias, { body }) => JSON.stringify(body, null, 2) },
  {
    tab: 'Client',
    label: 'client code',
    write: (alias, { method, body }) => `import { createClient } from 'event-query/client';

const client = createClient({
  url: '${API}',
  tenant: '${alias}',
  apiKey: process.env.API_KEY,
});
const ${RESULTS[method]} = await client.${method}(${JSON.stringify(body, null, 2)});`,
  },
];

/** The command takes the body of a query alone. */
const COMMAND: Form = {
  tab: 'Command',
  label: 'CLI command',
  write: (alias, { body }) =>
    `echo ${quoted(JSON.stringify(body))} | npx event-query query ${alias} --body -`,
};

interface ShareProps {
  readonly alias: string;
  readonly asked: AskedQuestion;
  readonly onClose: () => void;
}

/** The questions whose answers the page shows, in other forms, for a shell and for a program. */
export function Share({ alias, asked, onClose }: ShareProps) {
  const shown = questionsShown(asked, place.value.parameters);
  const [name, setName] = useState(shown[0]!.name);
  const question = shown.find((each) => each.name === name) ?? shown[0]!;
  const isRows = question.method === 'query';
  const tabs = [...FORMS, ...(isRows ? [COMMAND] : [])].map(({ tab, label, write }) => ({
    name: tab,
    content: () => (
      <>
        <Code text={write(alias, question)} label={label} />
        {tab === COMMAND.tab && (
          <p class="hint">
            Run it in the server’s folder; elsewhere, add <code>--db FILE</code>.
          </p>
        )}
      </>
    ),
  }));
  return (
    <Dialog title="Copy query" onClose={onClose}>
      <Field label="What is copied">
        {(ids) => (
          <Select
            {...ids}
            options={shown.map((each) => [each.name, each.name] as const)}
            value={question.name}
            onValue={setName}
          />
        )}
      </Field>
      {isRows && <p>This returns the newest 100 events; use pagination for more.</p>}
      <Tabs key={String(isRows)} label="Forms of the query" tabs={tabs} />
    </Dialog>
  );
}
