import type { IngestionLimits, Limits } from '../../../../src/store-kit.ts';
import { Check, TextField } from '../parts/field.tsx';
import { figure, mebibytes, MIB } from '../parts/figure.ts';
import { mayChange, mayOwn } from '../server/roles.ts';
import { PlanField } from './dialogs.tsx';
import { SettingsForm, type SettingsProps } from './settings-form.tsx';
import { fieldsOf } from './typed.ts';

/** The form for the name of a tenant. */
export function NameForm(props: SettingsProps) {
  const { tenant } = props;
  const form = `${tenant.id}/name`;
  const [name, setName] = fieldsOf(form)('name', tenant.name);
  return (
    <SettingsForm
      {...{ ...props, form }}
      title="Name"
      hint="For display. URLs use the alias, which stays."
      mayChange={mayChange(tenant.alias)}
      changes={name.trim() === tenant.name ? undefined : { name }}
    >
      <TextField label="Display name" required maxLength={256} value={name} onValue={setName} />
    </SettingsForm>
  );
}

/** The form for the plan of a tenant, and for the limits of a custom one. */
export function PlanForm(props: SettingsProps) {
  const { tenant } = props;
  const form = `${tenant.id}/plan`;
  const field = fieldsOf(form);
  const [plan, setPlan] = field('plan', tenant.plan);
  const [perMinute, setPerMinute] = field('perMinute', textOf(tenant.limits?.perMinute));
  const [perDay, setPerDay] = field('perDay', textOf(tenant.limits?.perDay));
  const limits: Limits | null =
    perMinute + perDay === '' ? null : { perMinute: Number(perMinute), perDay: Number(perDay) };
  const isSame = plan === tenant.plan && (plan !== 'custom' || isEqual(limits, tenant.limits));
  return (
    <SettingsForm
      {...{ ...props, form }}
      title="Plan"
      hint="How many requests of the Query API each key may make."
      mayChange={mayOwn()}
      changes={isSame ? undefined : { plan, ...(plan === 'custom' ? { limits } : {}) }}
    >
      <PlanField plan={plan} setPlan={(next) => setPlan(next as typeof plan)} />
      {plan === 'custom' && (
        <div class="pair">
          <NumberField
            label="Requests a minute"
            hint="Leave both empty for no limit."
            value={perMinute}
            onValue={setPerMinute}
          />
          <NumberField label="Requests a day" value={perDay} onValue={setPerDay} />
        </div>
      )}
    </SettingsForm>
  );
}

type IngestionKind = 'default' | 'none' | 'own';

/** The form for how much the senders of a tenant may send. */
export function IngestionForm(props: SettingsProps) {
  const { id, ingestion, ingestionLimits } = props.tenant;
  const form = `${id}/ingestion`;
  const field = fieldsOf(form);
  const [kind, setKind] = field<IngestionKind>(
    'kind',
    ingestion === 'default' ? 'default' : ingestion === null ? 'none' : 'own',
  );
  const [events, setEvents] = field('events', textOf(ingestionLimits?.eventsPerMinute));
  const [bytes, setBytes] = field('bytes', textOf(ingestionLimits?.bytesPerMinute));
  const own: IngestionLimits = { eventsPerMinute: Number(events), bytesPerMinute: Number(bytes) };
  const chosen = { default: 'default', none: null, own } as const;
  const choice = (value: IngestionKind, text: string) => (
    <Check type="radio" name="ingestion" checked={kind === value} onChange={() => setKind(value)}>
      {text}
    </Check>
  );
  return (
    <SettingsForm
      {...{ ...props, form }}
      title="Ingestion limits"
      hint="How much all senders together may send in a minute. More is refused with a 429."
      mayChange={mayOwn()}
      changes={isEqual(chosen[kind], ingestion) ? undefined : { ingestion: chosen[kind] }}
    >
      <div role="radiogroup" aria-label="Limit" class="inline">
        {choice('default', ingestion === 'default' ? wordsOf(ingestionLimits!) : 'Default of this server')}
        {choice('own', 'Own limits')}
        {choice('none', 'No limit')}
      </div>
      {kind === 'own' && (
        <div class="pair">
          <NumberField label="Events a minute" required value={events} onValue={setEvents} />
          <NumberField
            label="Bytes a minute"
            hint={`1 MiB is ${figure(MIB)} bytes.`}
            required
            value={bytes}
            onValue={setBytes}
          />
        </div>
      )}
    </SettingsForm>
  );
}

const wordsOf = ({ eventsPerMinute, bytesPerMinute }: IngestionLimits) =>
  `Default: ${figure(eventsPerMinute)} events and ${mebibytes(bytesPerMinute)}`;

/** A field for a whole number. */
export function NumberField({
  value,
  onValue,
  ...more
}: {
  readonly label: string;
  readonly hint?: string;
  readonly required?: boolean;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  return (
    <TextField
      {...more}
      inputMode="numeric"
      pattern="[0-9]+"
      title="A whole number"
      value={value}
      onValue={onValue}
    />
  );
}

const textOf = (limit: number | undefined) => (limit === undefined ? '' : String(limit));

/** Whether two settings are the same. Their fields are in one order. */
const isEqual = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
