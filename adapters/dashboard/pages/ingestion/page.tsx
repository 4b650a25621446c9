import { useState } from 'preact/hooks';
import { Notice, PageHead } from '../parts/text.tsx';
import type { JwtSettings, Tenant } from '../server/answers.ts';
import { ask, messageOf } from '../server/api.ts';
import { mayChange } from '../server/roles.ts';
import type { TenantPageProps } from '../tenant-page.ts';
import { CheckToken, JwtFields } from './jwt.tsx';
import { useSaid } from './said.ts';
import { FirstEvent, Snippets } from './sending.tsx';

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
      'Your signed-in users send, with a token of your identity provider. ' +
      'Each event has to be of the user whom the token names.',
  },
];

/** How a tenant's senders prove themselves, and how to send. */
export function IngestionPage({ tenant, reload }: TenantPageProps) {
  const [strategy, setStrategy] = useState(tenant.authStrategy);
  const [jwt, setJwt] = useState<JwtSettings>(tenant.jwt ?? { issuer: '', audience: '', jwksUrl: '' });
  const [said, say] = useSaid(strategy, jwt);
  const save = () => {
    const settings = strategy === 'JWT' ? { jwt } : {};
    ask(`tenants/set/${tenant.alias}`, { authStrategy: strategy, ...settings }).then(
      () => {
        say('good', 'Saved. It holds from the next request on.');
        reload();
      },
      (refused: unknown) => say('error', messageOf(refused)),
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
        <fieldset class="choices" disabled={!mayChange(tenant.alias)}>
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
        {said !== undefined && <Notice kind={said.kind}>{said.text}</Notice>}
        {mayChange(tenant.alias) && (
          <p>
            <button type="submit" class="primary">
              Save the strategy
            </button>
          </p>
        )}
      </form>
      {strategy === 'JWT' && mayChange(tenant.alias) && <CheckToken alias={tenant.alias} jwt={jwt} />}
      <Snippets tenant={tenant} />
      <FirstEvent alias={tenant.alias} />
    </>
  );
}
