import { useState } from 'preact/hooks';
import type { TenantChanges } from '../../../../src/index.ts';
import type { TenantAnswer } from '../../../../src/admin-api.ts';
import { ConfirmErasure } from '../parts/erase-events.tsx';
import { Check } from '../parts/field.tsx';
import { figure } from '../parts/figure.ts';
import { mayOwn } from '../server/roles.ts';
import { NumberField } from './forms.tsx';
import { lastDayErased } from './last-day.ts';
import { fieldsOf } from './typed.ts';
import { SettingsForm, type SureDialog, type SettingsProps } from './settings-form.tsx';

/** The form for how long a tenant keeps its events. If it would keep less than now, it asks first. */
export function RetentionForm(props: SettingsProps) {
  const before = props.tenant.retentionDays;
  const form = `${props.tenant.id}/retention`;
  const field = fieldsOf(form);
  const [kind, setKind] = field<'forever' | 'limited'>('kind', before === null ? 'forever' : 'limited');
  const [text, setText] = field('days', String(before ?? ''));
  const isLimited = kind === 'limited';
  const days = isLimited ? Number(text) : null;
  const isComplete = days === null || text !== '';
  const changes: TenantChanges | undefined =
    days === before || !isComplete ? undefined : { retentionDays: days };
  const isLess = days !== null && days < (before ?? Infinity);
  return (
    <SettingsForm
      {...{ ...props, form }}
      title="Retention"
      hint="How long events are kept, by their time. The server erases older ones within an hour."
      mayChange={mayOwn()}
      changes={changes}
      sure={
        isLess ? (asking) => <KeepLess key={days} tenant={props.tenant} days={days} {...asking} /> : undefined
      }
    >
      <div role="radiogroup" aria-label="Keep events" class="inline">
        <Check type="radio" name="retention" checked={!isLimited} onChange={() => setKind('forever')}>
          Forever
        </Check>
        <Check type="radio" name="retention" checked={isLimited} onChange={() => setKind('limited')}>
          For a number of days
        </Check>
      </div>
      {isLimited && (
        <NumberField
          label="Days"
          hint="Whole UTC days before today, from 1 to 36,500."
          required
          value={text}
          onValue={setText}
        />
      )}
    </SettingsForm>
  );
}

/** The dialog that asks before a tenant keeps less, after it has said how many events that erases. */
function KeepLess({
  tenant: { alias },
  days,
  ...asking
}: SureDialog & { readonly tenant: TenantAnswer; readonly days: number }) {
  const [last] = useState(() => lastDayErased(days, Date.now()));
  return (
    <ConfirmErasure
      {...asking}
      title={`Keep ${figure(days)} ${days === 1 ? 'day' : 'days'} of events?`}
      act="Keep less"
      alias={alias}
      body={{ before: last }}
      words={
        <>
          up to {last} (UTC) will be erased permanently, within an hour. From then on, each day’s events go
          when they are older than that.
        </>
      }
    />
  );
}
