import type { ComponentChildren } from 'preact';
import { useId, useState } from 'preact/hooks';
import type { TenantChanges } from '../../../../src/index.ts';
import type { TenantAnswer } from '../../../../src/admin-api.ts';
import type { Said } from '../ingestion/said.ts';
import { Notice } from '../parts/text.tsx';
import { ask, messageOf } from '../server/api.ts';

/** The properties of a form for some settings of a tenant. */
export interface SettingsProps {
  readonly tenant: TenantAnswer;
  /** Loads the tenants again after a change. */
  readonly reload: () => void;
}

/** What a dialog needs that asks before a change is sent. */
export interface SureDialog {
  readonly send: () => Promise<TenantAnswer>;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

interface FormProps extends SettingsProps {
  readonly title: string;
  readonly hint: string;
  /** Whether the user may change these settings. The form shows them in any case. */
  readonly mayChange: boolean;
  /** The changes that the fields hold; undefined if they hold none. */
  readonly changes: TenantChanges | undefined;
  /** The dialog that asks before these changes are sent; absent where none is needed. */
  readonly sure?: ((dialog: SureDialog) => ComponentChildren) | undefined;
  readonly children: ComponentChildren;
}

/** A form for some settings of a tenant, which are saved together. */
export function SettingsForm({ tenant, reload, title, hint, mayChange, changes, sure, children }: FormProps) {
  const id = useId();
  const [said, say] = useState<Said>();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const send = () => ask<TenantAnswer>(`tenants/set/${tenant.alias}`, changes);
  const done = () => {
    setAsking(false);
    say({ kind: 'good', text: 'Saved.' });
    reload();
  };
  const save = () => {
    say(undefined);
    if (sure !== undefined) return setAsking(true);
    setBusy(true);
    send()
      .then(done, (refused: unknown) => say({ kind: 'error', text: messageOf(refused) }))
      .finally(() => setBusy(false));
  };
  // A success is true until the next edit. An error is about changes that are still there.
  const isShown = said !== undefined && (said.kind === 'good') === (changes === undefined);
  return (
    <section class="card settings" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        <p class="hint">{hint}</p>
      </header>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (changes !== undefined) save();
        }}
      >
        <fieldset class="fields" disabled={!mayChange}>
          {children}
        </fieldset>
        {isShown && <Notice kind={said.kind}>{said.text}</Notice>}
        {mayChange ? (
          <p>
            <button type="submit" class="primary" disabled={changes === undefined || isBusy}>
              Save {title.toLowerCase()}
            </button>
          </p>
        ) : (
          <p class="hint">You can see this, but not change it.</p>
        )}
      </form>
      {isAsking && sure?.({ send, onClose: () => setAsking(false), onDone: done })}
    </section>
  );
}
