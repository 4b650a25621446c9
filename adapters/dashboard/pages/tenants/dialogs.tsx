import { useState } from 'preact/hooks';
import { linkTo } from '../address/address.ts';
import { figure } from '../parts/figure.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { Confirm, Field, Select, TextField } from '../parts/field.tsx';
import type { AdminAnswer, TenantAnswer } from '../../../../src/admin-api.ts';
import { ask } from '../server/api.ts';
import { choices } from '../server/choices.ts';

interface DialogProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The dialog that creates a tenant. It leads to the explorer, which says how to send the first event. */
export function NewTenant(dialog: DialogProps) {
  const [alias, setAlias] = useState('');
  const [name, setName] = useState('');
  const [plan, setPlan] = useState('builder');
  const send = () => ask('tenants/create', { alias, plan, ...(name.trim() === '' ? {} : { name }) });
  const done = () => {
    dialog.onDone();
    location.hash = linkTo('explore', alias);
  };
  return (
    <FormDialog {...dialog} onDone={done} title="New tenant" act="Create tenant" send={send}>
      <TextField
        label="Alias"
        hint="Used in every URL: a-z, 0-9, - and _. It cannot be changed later."
        required
        autoFocus
        maxLength={63}
        value={alias}
        onValue={setAlias}
      />
      <TextField
        label="Name"
        hint="For display. Defaults to the alias."
        maxLength={256}
        value={name}
        onValue={setName}
      />
      <PlanField plan={plan} setPlan={setPlan} />
    </FormDialog>
  );
}

/** The choice of a plan. */
export function PlanField({
  plan,
  setPlan,
}: {
  readonly plan: string;
  readonly setPlan: (plan: string) => void;
}) {
  const options = choices.value.plans.map((each) => [each.name, wordsOf(each)] as const);
  return (
    <Field label="Plan">
      {(ids) => <Select {...ids} options={options} value={plan} onValue={setPlan} />}
    </Field>
  );
}

/** The description of a plan, as on a pricing page. */
function wordsOf({ name, queryApi, limits }: AdminAnswer<'choices'>['plans'][number]): string {
  const title = name.slice(0, 1).toUpperCase() + name.slice(1);
  if (!queryApi) return `${title}: no Query API`;
  if (limits === null) return `${title}: custom limits, or none`;
  const [perMinute, perDay] = [limits.perMinute, limits.perDay].map((limit) => figure(limit));
  return `${title}: ${perMinute} a minute, ${perDay} a day`;
}

/** The dialog that deletes a tenant after the user has typed its alias. */
export function RemoveTenant({
  tenant: { alias },
  ...dialog
}: DialogProps & { readonly tenant: TenantAnswer }) {
  const [said, setSaid] = useState('');
  return (
    <FormDialog
      {...dialog}
      title={`Delete ${alias}?`}
      act="Delete permanently"
      isDangerous
      isUnready={said !== alias}
      send={() => ask(`tenants/delete/${alias}`, { alias: said })}
    >
      <p>Its keys are refused from the next request on. All its events are deleted permanently.</p>
      <Confirm word={alias} value={said} onValue={setSaid} />
    </FormDialog>
  );
}
