import { useState } from 'preact/hooks';
import { NewKey } from '../keys/dialogs.tsx';
import { figure } from '../parts/figure.ts';
import { Code } from '../parts/copy.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Notice } from '../parts/text.tsx';
import { linkTo } from '../address/address.ts';
import type { TenantAnswer } from '../../../../src/admin-api.ts';
import { API, toCurl } from '../server/curl.ts';
import { mayChange } from '../server/roles.ts';
import { useArrivals } from './arrivals.ts';

/** How a sender proves who it is, in each way to send. */
interface Proof {
  /** The header of a request. */
  readonly header?: string;
  /** The options of the web SDK. */
  readonly sdk: string;
  /** The options of the client. */
  readonly client: string;
  /** The flags of the command. */
  readonly flags: string;
}

const PROOFS: Readonly<Record<TenantAnswer['authStrategy'], Proof>> = {
  NONE: { sdk: '', client: '', flags: '' },
  SERVER_SIDE: {
    header: 'Authorization: Chase <SECRET_KEY>',
    sdk: "\n  authStrategy: 'SERVER_SIDE',\n  secretKey: process.env.SECRET_KEY,",
    client: '\n  secretKey: process.env.SECRET_KEY,',
    flags: ' --key-file key.txt',
  },
  JWT: {
    header: 'Authorization: Bearer <ACCESS_TOKEN>',
    sdk: "\n  authStrategy: 'JWT',\n  authProvider: { getToken: () => accessToken },",
    client: '\n  getToken: () => accessToken,',
    flags: ' --token-file token.txt',
  },
};

const EVENT = { eventName: 'order_placed', userId: 'ada', properties: { total: 64 } };

/** A shell command that sends an event to a tenant. */
export function sendCurl({ alias, authStrategy }: TenantAnswer): string {
  return toCurl(`/v1/events/${alias}/multi`, PROOFS[authStrategy].header, [EVENT]);
}

/** A way to send events, by the name of its tab. */
interface Way {
  readonly tab: string;
  readonly label: string;
  readonly hint?: string;
  readonly write: (tenant: TenantAnswer) => string;
}

const WAYS: readonly Way[] = [
  { tab: 'curl', label: 'curl', write: sendCurl },
  {
    tab: 'Client',
    label: 'client code',
    hint: 'For Node.js, workers and pages. It keeps a queue and sends again what got no answer.',
    write: ({ alias, authStrategy }) => `import { createSender } from 'event-query/client';

const sender = createSender({
  url: '${API}',
  tenant: '${alias}',${PROOFS[authStrategy].client}
});
sender.append({ eventName: 'order_placed', userId: 'ada', properties: { total: 64 } });
await sender.close();`,
  },
  {
    tab: 'Web SDK',
    label: 'web SDK',
    write: ({ alias, authStrategy }) => `import { createGrainAnalytics } from '@grainql/analytics-web';

const analytics = createGrainAnalytics({
  tenantId: '${alias}',
  apiUrl: '${API}',${PROOFS[authStrategy].sdk}
});
analytics.track('order_placed', { total: 64 });`,
  },
  {
    tab: 'Import',
    label: 'import command',
    hint:
      'Reads NDJSON, CSV, access logs and the exports of Mixpanel, Amplitude, PostHog, Segment, GA4 and ' +
      'others. With --dry-run it shows what it would store.',
    write: ({ alias, authStrategy }) =>
      `npx event-query import ${alias} events.ndjson --url ${API}${PROOFS[authStrategy].flags}`,
  },
];

interface SendingProps {
  readonly tenant: TenantAnswer;
  /** Whether the page has the settings of authentication, so that it needs no link to them. */
  readonly hasSettings?: boolean;
}

/** The ways to send events to a tenant, and where the sender gets its credential. */
export function SendingWays({ tenant, hasSettings = false }: SendingProps) {
  const tabs = WAYS.map(({ tab, label, hint, write }) => ({
    name: tab,
    content: () => (
      <>
        <Code text={write(tenant)} label={label} />
        {hint !== undefined && <p class="hint">{hint}</p>}
      </>
    ),
  }));
  return (
    <>
      <Credential tenant={tenant} hasSettings={hasSettings} />
      <Tabs label="Ways to send" tabs={tabs} />
    </>
  );
}

/** Where a sender gets its credential. */
function Credential({ tenant: { alias, authStrategy }, hasSettings = false }: SendingProps) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  const settings = <a href={linkTo('authentication', alias)}>Authentication</a>;
  if (authStrategy === 'NONE') {
    return <p>Anyone who knows the alias can send. {!hasSettings && <>To change that, see {settings}.</>}</p>;
  }
  if (authStrategy === 'JWT')
    return (
      <p>
        Senders use an access token from your identity provider. Each event belongs to the user in its{' '}
        <code>sub</code>. {!hasSettings && <>{settings} has the settings, and checks a token.</>}
      </p>
    );
  return (
    <>
      <p>
        Servers need a key with the ingest permission, and pages a public write key.{' '}
        {mayChange(alias) ? (
          <button type="button" class="small" onClick={() => setOpen(true)}>
            Generate a key
          </button>
        ) : (
          'Ask an administrator for one.'
        )}
      </p>
      {isOpen && (
        <NewKey
          alias={alias}
          names={[]}
          first={{ name: 'sender', permission: 'ingest' }}
          onClose={close}
          onDone={close}
        />
      )}
    </>
  );
}

/** The section with the ways to send an event. */
export function Snippets({ tenant }: { readonly tenant: TenantAnswer }) {
  return (
    <section aria-labelledby="send">
      <h2 id="send">Send an event</h2>
      <SendingWays tenant={tenant} hasSettings />
    </section>
  );
}

/** Waits for the first event of an empty tenant, and says when it has arrived. */
export function FirstEvent({ alias }: { readonly alias: string }) {
  const arrivals = useArrivals(alias);
  if (arrivals?.wasEmpty === false) return null;
  if (arrivals === undefined)
    return (
      <p class="muted" aria-live="polite">
        Looking for events…
      </p>
    );
  const { count } = arrivals;
  return (
    <div aria-live="polite">
      {count === 0 ? (
        <Notice>Waiting for the first event…</Notice>
      ) : (
        <Notice kind="good">
          {figure(count)} {count === 1 ? 'event' : 'events'} received.{' '}
          <a href={linkTo('explore', alias, { range: 'all' })}>See them.</a>
        </Notice>
      )}
    </div>
  );
}
