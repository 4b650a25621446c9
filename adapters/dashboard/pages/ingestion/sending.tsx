import { useEffect, useState } from 'preact/hooks';
import { figure } from '../parts/figure.ts';
import { Code } from '../parts/copy.tsx';
import { Notice } from '../parts/text.tsx';
import { linkTo } from '../address/place.ts';
import type { TenantAnswer } from '../../../../src/transport-kit.ts';
import { countOf } from '../server/api.ts';
import { API, toCurl } from '../server/curl.ts';

/** The credential of a sender, as a header and as a setting of the web SDK. */
const PROOFS: Readonly<
  Record<TenantAnswer['authStrategy'], { readonly proof: string | undefined; readonly setting: string }>
> = {
  NONE: { proof: undefined, setting: '' },
  SERVER_SIDE: {
    proof: 'Authorization: Chase <SECRET_KEY>',
    setting: '\n  secretKey: process.env.SECRET_KEY,',
  },
  JWT: {
    proof: 'Authorization: Bearer <ACCESS_TOKEN>',
    setting: '\n  authProvider: { getToken: () => accessToken },',
  },
};

const EVENT = { eventName: 'order_placed', userId: 'ada', properties: { total: 64 } };

/** A shell command that sends an event to a tenant. */
export function sendCurl({ alias, authStrategy }: TenantAnswer): string {
  return toCurl(`/v1/events/${alias}/multi`, PROOFS[authStrategy].proof, [EVENT]);
}

/** Code to copy that sends an event. */
export function Snippets({ tenant }: { readonly tenant: TenantAnswer }) {
  const { alias, authStrategy } = tenant;
  const { setting } = PROOFS[authStrategy];
  const strategy = authStrategy === 'NONE' ? '' : `\n  authStrategy: '${authStrategy}',`;
  const sdk = `import { createGrainAnalytics } from '@grainql/analytics-web';

const analytics = createGrainAnalytics({
  tenantId: '${alias}',
  apiUrl: '${API}',${strategy}${setting}
});
analytics.track('order_placed', { total: 64 });`;
  return (
    <section aria-labelledby="send">
      <h2 id="send">Send an event</h2>
      {authStrategy === 'SERVER_SIDE' && (
        <p>
          You need a key with the ingest permission, or in a page one with the write permission:{' '}
          <a href={linkTo('keys', alias)}>generate one</a>.
        </p>
      )}
      <div class="columns">
        <Code text={sendCurl(tenant)} label="curl" />
        <Code text={sdk} label="web SDK" />
      </div>
    </section>
  );
}

/** Polls for the first event while the page is visible, until one has arrived. */
export function FirstEvent({
  alias,
  onCome,
}: {
  readonly alias: string;
  /** Called when the first event has arrived. */
  readonly onCome?: () => void;
}) {
  const [count, setCount] = useState<number>();
  useEffect(() => {
    const controller = new AbortController();
    const look = () => {
      if (document.hidden || controller.signal.aborted) return;
      countOf(alias, {}, controller.signal).then(
        (found) => {
          setCount(found);
          if (found === 0) return;
          clearInterval(timer);
          onCome?.();
        },
        () => undefined,
      );
    };
    const timer = setInterval(look, 2000);
    look();
    return () => {
      clearInterval(timer);
      controller.abort();
    };
  }, [alias]);
  if (count === undefined)
    return (
      <p class="muted" aria-live="polite">
        Looking for events…
      </p>
    );
  return (
    <div aria-live="polite">
      {count === 0 ? (
        <Notice>Waiting for the first event…</Notice>
      ) : (
        <Notice kind="good">
          {figure(count)} {count === 1 ? 'event' : 'events'} received.{' '}
          <a href={linkTo('explore', alias)}>See them.</a>
        </Notice>
      )}
    </div>
  );
}
