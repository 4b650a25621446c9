import { useEffect, useState } from 'preact/hooks';
import { ask, countOf, messageOf, type JwtSettings, type Tenant } from './api.ts';
import { Code, Field, Notice, PageHead } from './parts.tsx';
import { linkTo } from './place.ts';
import { mayChange } from './roles.ts';
import type { TenantPageProps } from './tenant-page.ts';

type Strategy = Tenant['authStrategy'];

const STRATEGIES: readonly { readonly name: Strategy; readonly title: string; readonly means: string }[] = [
  {
    name: 'NONE',
    title: 'Anyone',
    means: 'Whoever knows the alias can send events. For public apps and development.',
  },
  {
    name: 'SERVER_SIDE',
    title: 'A secret key',
    means: 'Your servers send, with a key that has the permission ingest. No browser may.',
  },
  {
    name: 'JWT',
    title: 'Access tokens',
    means:
      'Your signed-in users send, with a token of your identity provider. Each event has to be of the user whom the token names.',
  },
];

/** How a tenant's senders prove themselves, and how to send. */
export function IngestionPage({ tenant, reload }: TenantPageProps) {
  const [strategy, setStrategy] = useState(tenant.authStrategy);
  const [jwt, setJwt] = useState<JwtSettings>(tenant.jwt ?? { issuer: '', audience: '', jwksUrl: '' });
  const [state, setState] = useState<{ readonly kind: 'error' | 'good'; readonly text: string }>();
  const save = () => {
    const settings = strategy === 'JWT' ? { jwt } : {};
    ask(`tenants/set/${tenant.alias}`, { authStrategy: strategy, ...settings }).then(
      () => {
        setState({ kind: 'good', text: 'Saved. It holds from the next request on.' });
        reload();
      },
      (refused: unknown) => setState({ kind: 'error', text: messageOf(refused) }),
    );
  };
  return (
    <>
      <PageHead title="Ingestion" lead="Who may send events, and how." />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <fieldset class="choices" disabled={!mayChange()}>
          <legend>Strategy</legend>
          {STRATEGIES.map(({ name, title, means }) => (
            <label key={name} class={strategy === name ? 'choice chosen' : 'choice'}>
              <input
                type="radio"
                name="strategy"
                checked={strategy === name}
                onChange={() => setStrategy(name)}
              />
              <span>
                <strong>{title}</strong> <code>{name}</code>
                <small>{means}</small>
              </span>
            </label>
          ))}
        </fieldset>
        {strategy === 'JWT' && <JwtFields jwt={jwt} setJwt={setJwt} />}
        {state !== undefined && <Notice kind={state.kind}>{state.text}</Notice>}
        {mayChange() && (
          <p>
            <button type="submit" class="primary">
              Save the strategy
            </button>
          </p>
        )}
      </form>
      {strategy === 'JWT' && mayChange() && <CheckToken alias={tenant.alias} jwt={jwt} />}
      <Snippets tenant={tenant} />
      <FirstEvent alias={tenant.alias} />
    </>
  );
}

function JwtFields({
  jwt,
  setJwt,
}: {
  readonly jwt: JwtSettings;
  readonly setJwt: (jwt: JwtSettings) => void;
}) {
  const byUrl = jwt.publicKeyPem === undefined;
  const { issuer, audience } = jwt;
  return (
    <div class="card">
      <div class="pair">
        <Field label="Issuer" hint="The iss claim of your tokens.">
          {(ids) => (
            <input
              {...ids}
              required
              value={issuer}
              onInput={(e) => setJwt({ ...jwt, issuer: e.currentTarget.value })}
            />
          )}
        </Field>
        <Field label="Audience" hint="The aud claim.">
          {(ids) => (
            <input
              {...ids}
              required
              value={audience}
              onInput={(e) => setJwt({ ...jwt, audience: e.currentTarget.value })}
            />
          )}
        </Field>
      </div>
      <fieldset class="inline">
        <legend>Keys</legend>
        <label class="check">
          <input
            type="radio"
            name="by"
            checked={byUrl}
            onChange={() => setJwt({ issuer, audience, jwksUrl: '' })}
          />{' '}
          <span>JWKS address</span>
        </label>
        <label class="check">
          <input
            type="radio"
            name="by"
            checked={!byUrl}
            onChange={() => setJwt({ issuer, audience, publicKeyPem: '' })}
          />{' '}
          <span>Public key</span>
        </label>
      </fieldset>
      {byUrl ? (
        <Field label="JWKS address" hint="https, or http on a loopback host.">
          {(ids) => (
            <input
              {...ids}
              required
              inputMode="url"
              value={jwt.jwksUrl ?? ''}
              onInput={(e) => setJwt({ issuer, audience, jwksUrl: e.currentTarget.value })}
            />
          )}
        </Field>
      ) : (
        <Field label="Public key or certificate" hint="PEM text. Never a private key.">
          {(ids) => (
            <textarea
              {...ids}
              required
              rows={5}
              value={jwt.publicKeyPem}
              onInput={(e) => setJwt({ issuer, audience, publicKeyPem: e.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}

function CheckToken({ alias, jwt }: { readonly alias: string; readonly jwt: JwtSettings }) {
  const [token, setToken] = useState('');
  const [state, setState] = useState<{ readonly kind: 'error' | 'good'; readonly text: string }>();
  const check = () => {
    ask<{ readonly valid: boolean; readonly userId?: string; readonly error?: string }>(
      `tokens/check/${alias}`,
      { token: token.trim(), jwt },
    ).then(
      ({ valid, userId, error }) =>
        setState(
          valid
            ? { kind: 'good', text: `Valid: it may send events of the user ${userId}.` }
            : { kind: 'error', text: `Not valid: ${error}.` },
        ),
      (refused: unknown) => setState({ kind: 'error', text: messageOf(refused) }),
    );
  };
  return (
    <section aria-labelledby="check">
      <h2 id="check">Check a token</h2>
      <Field label="Access token" hint="It is checked by these settings, saved or not, and kept nowhere.">
        {(ids) => (
          <textarea
            {...ids}
            rows={3}
            spellcheck={false}
            value={token}
            onInput={(e) => setToken(e.currentTarget.value)}
          />
        )}
      </Field>
      {state !== undefined && <Notice kind={state.kind}>{state.text}</Notice>}
      <p>
        <button type="button" disabled={token.trim() === ''} onClick={check}>
          Check
        </button>
      </p>
    </section>
  );
}

function Snippets({ tenant: { alias, authStrategy } }: { readonly tenant: Tenant }) {
  const origin = location.origin;
  const proof = {
    NONE: '',
    SERVER_SIDE: " \\\n  -H 'Authorization: Chase <SECRET_KEY>'",
    JWT: " \\\n  -H 'Authorization: Bearer <ACCESS_TOKEN>'",
  }[authStrategy];
  const curl = `curl -s '${origin}/v1/events/${alias}/multi' -H 'Content-Type: application/json'${proof} \\\n  -d '[{"eventName":"order_placed","userId":"ada","properties":{"total":64}}]'`;
  const strategy = authStrategy === 'NONE' ? '' : `\n  authStrategy: '${authStrategy}',`;
  const more = {
    NONE: '',
    SERVER_SIDE: '\n  secretKey: process.env.SECRET_KEY,',
    JWT: '\n  authProvider: { getToken: () => accessToken },',
  }[authStrategy];
  const sdk = `import { createGrainAnalytics } from '@grainql/analytics-web';\n\nconst analytics = createGrainAnalytics({\n  tenantId: '${alias}',\n  apiUrl: '${origin}',${strategy}${more}\n});\nanalytics.track('order_placed', { total: 64 });`;
  return (
    <section aria-labelledby="send">
      <h2 id="send">Send an event</h2>
      {authStrategy === 'SERVER_SIDE' && (
        <p>
          You need a key with the permission ingest: <a href={linkTo('keys', alias)}>generate one</a>.
        </p>
      )}
      <div class="columns">
        <div>
          <h3>curl</h3>
          <Code text={curl} label="curl" />
        </div>
        <div>
          <h3>Web SDK</h3>
          <Code text={sdk} label="web SDK" />
        </div>
      </div>
    </section>
  );
}

/** Looks whether events have come, while the page is seen and until the first one has. */
function FirstEvent({ alias }: { readonly alias: string }) {
  const [count, setCount] = useState<number>();
  useEffect(() => {
    const controller = new AbortController();
    const look = () => {
      if (document.hidden || controller.signal.aborted) return;
      countOf(alias, {}, controller.signal).then(
        (found) => {
          setCount(found);
          if (found > 0) clearInterval(timer);
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
          {count.toLocaleString('en')} events received. <a href={linkTo('explore', alias)}>See them.</a>
        </Notice>
      )}
    </div>
  );
}
