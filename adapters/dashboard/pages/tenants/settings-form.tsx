import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { TenantChanges } from '../../../../src/index.ts';
import type { TenantAnswer } from '../../../../src/admin-api.ts';
import type { Said } from '../ingestion/said.ts';
import { Notice } from '../parts/text.tsx';
import { useUnsaved } from '../parts/use-unsaved.ts';
import { ask, messageOf } from '../server/api.ts';
import { forgetTyped } from './typed.ts';

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
  /** The key of what is typed into its fields. */
  readonly form: string;
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

/** A form for some settings of a tenant, which are saved together once one of them was changed. */
export function SettingsForm({ tenant, reload, title, hint, mayChange, changes, sure, ...form }: FormProps) {
  const id = useId();
  const isChanged = changes !== undefined;
  const discard = () => forgetTyped(form.form);
  useUnsaved(form.form, isChanged ? { title, page: 'tenant', alias: tenant.alias, discard } : undefined);
  const isSaved = useRef(false);
  useEffect(() => {
    // What was typed is what is saved, once that is known.
    if (!isChanged && isSaved.current) discard();
    isSaved.current = false;
  }, [isChanged]);
  const [said, say] = useState<Said>();
  const [isAsking, setAsking] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const send = () => ask<TenantAnswer>(`tenants/set/${tenant.alias}`, changes);
  const done = () => {
    setAsking(false);
    isSaved.current = true;
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
          {form.children}
        </fieldset>
        {isShown && <Notice kind={said.kind}>{said.text}</Notice>}
        {isChanged && (
          <p class="apply">
            <button type="submit" class="primary" disabled={isBusy}>
              Save {title.toLowerCase()}
            </button>
            <button type="button" onClick={discard}>
              Discard
            </button>
          </p>
        )}
        {!mayChange && <p class="hint">You can see this, but not change it.</p>}
      </form>
      {isAsking && sure?.({ send, onClose: () => setAsking(false), onDone: done })}
    </section>
  );
}
