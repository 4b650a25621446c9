import { useState } from 'preact/hooks';
import { NewKey } from '../keys/dialogs.tsx';
import { FormDialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import { Notice, PageHead } from '../parts/text.tsx';
import type { TenantAnswer } from '../../../../src/admin-api.ts';
import { ask, messageOf } from '../server/api.ts';
import { mayChange } from '../server/roles.ts';
import type { TenantPageProps } from '../parts/tenant-page.ts';
import { useDraft, type Strategy } from './draft.ts';
import { CheckToken, JwtFields, useTriedKeys } from './jwt.tsx';
import type { Said } from './said.ts';
import { FirstEvent, Snippets } from './sending.tsx';

const STRATEGIES: readonly {
  readonly name: TenantAnswer['authStrategy'];
  readonly title: string;
  readonly means: string;
}[] = [
  {
    name: 'NONE',
    title: 'Anyone',
    means: 'Anyone who knows the alias can send events. For public apps and development.',
  },
  {
    name: 'SERVER_SIDE',
    title: 'A secret key',
    means:
      'Your servers send events with a key that has the ingest permission, ' +
      'and your pages with a public write key.',
  },
  {
    name: 'JWT',
    title: 'Access tokens',
    means:
      'Your signed-in users send events with a token from your identity provider. ' +
      'Each event must belong to the user named in the token.',
  },
];

/** The page about the authentication of a tenant's senders, and about how to send events. */
export function IngestionPage({ tenant, reload }: TenantPageProps) {
  const { chosen, isUnsaved, choose, discard, accept } = useDraft(tenant);
  const { authStrategy, jwt } = chosen;
  const [isSure, setSure] = useState(true);
  const [said, say] = useState<Said>();
  const { said: tried, read: readKeys } = useTriedKeys(tenant.alias, jwt);
  const opens = authStrategy === 'NONE' && tenant.authStrategy !== 'NONE';
  const closes = authStrategy !== 'NONE' && tenant.authStrategy !== authStrategy;
  const send = () =>
    ask<TenantAnswer>(`tenants/set/${tenant.alias}`, authStrategy === 'JWT' ? chosen : { authStrategy });
  const done = (saved: TenantAnswer) => {
    setSure(true);
    accept(saved);
    say({ kind: 'good', text: 'Saved. It applies from the next request on.' });
    // A wrong address would refuse every sender, who never learns why.
    if (saved.authStrategy === 'JWT' && saved.jwt?.jwksUrl !== undefined) readKeys(saved.jwt);
    reload();
  };
  const change = (changes: Partial<Strategy>) => {
    // The last message was about the saved settings.
    say(undefined);
    choose(changes);
  };
  const save = () => {
    if (opens) setSure(false);
    else send().then(done, (refused: unknown) => say({ kind: 'error', text: messageOf(refused) }));
  };
  return (
    <>
      <PageHead title="Authentication" lead="Settings: who may send events, and how.">
        {mayChange(tenant.alias) && <GenerateSecret alias={tenant.alias} />}
      </PageHead>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
      >
        <fieldset class="choices" disabled={!mayChange(tenant.alias)}>
          <legend>Strategy</legend>
          {STRATEGIES.map(({ name, title, means }) => (
            <label key={name} class={authStrategy === name ? 'choice chosen' : 'choice'}>
              <input
                type="radio"
                name="strategy"
                checked={authStrategy === name}
                onChange={() => change({ authStrategy: name })}
              />
              <span>
                <strong>{title}</strong> <code>{name}</code>
                <small>{means}</small>
              </span>
            </label>
          ))}
        </fieldset>
        {authStrategy === 'JWT' && (
          <JwtFields
            jwt={jwt}
            setJwt={(next) => change({ jwt: next })}
            tried={tried}
            onTry={() => readKeys(jwt)}
          />
        )}
        {said !== undefined && <Notice kind={said.kind}>{said.text}</Notice>}
        {!mayChange(tenant.alias) && (
          <p class="hint">Only an administrator of this tenant can change this.</p>
        )}
        {isUnsaved && (
          <p class="apply">
            <button type="submit" class="primary">
              Save strategy
            </button>
            <button type="button" onClick={discard}>
              Discard
            </button>
            <span class="hint">
              Unsaved changes.{closes && ' Once saved, events that are sent in another way are refused.'}
            </span>
          </p>
        )}
      </form>
      {authStrategy === 'JWT' && mayChange(tenant.alias) && <CheckToken alias={tenant.alias} jwt={jwt} />}
      <Snippets tenant={tenant} />
      <FirstEvent alias={tenant.alias} />
      {!isSure && (
        <FormDialog
          title={`Let anyone send to ${tenant.alias}?`}
          act="Let anyone send"
          isDangerous
          isQuestion
          send={send}
          onDone={done}
          onClose={() => setSure(true)}
        >
          <p>Anyone who knows the alias can then send events without a key or token.</p>
        </FormDialog>
      )}
    </>
  );
}

/** Makes a key, whose secret is shown once. */
function GenerateSecret({ alias }: { readonly alias: string }) {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        <Icon name="plus" /> Generate new secret
      </button>
      {isOpen && <NewKey alias={alias} names={[]} onClose={close} onDone={close} />}
    </>
  );
}
