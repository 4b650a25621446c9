import { useLayoutEffect, useState } from 'preact/hooks';
import { linkTo } from '../address/address.ts';
import { place, setParameters } from '../address/place.ts';
import { DayFields, Field, Select, TextField } from '../parts/field.tsx';
import { zoneNow } from '../address/zone.ts';
import { DAY_MS } from '../time/unit.ts';
import { toInstant } from '../time/zone.ts';
import { ACTION_WORDS } from './words.ts';

/** What filters the audit log, in the address; days are those of the zone, and both are included. */
const NAMES = ['who', 'tenant', 'action', 'after', 'before'] as const;
type Name = (typeof NAMES)[number];

const valueOf = (name: Name) => place.value.parameters.get(name) ?? '';

const NOTHING: Readonly<Record<Name, string>> = { who: '', tenant: '', action: '', after: '', before: '' };

/** Whether the address filters the audit log. */
const isFiltered = (): boolean => NAMES.some((name) => valueOf(name) !== '');

/** The route that answers the entries that the address asks for, on the page before an entry. */
export function auditPath(before?: string): string {
  const asked = {
    ...{ who: valueOf('who'), tenant: valueOf('tenant'), action: valueOf('action') },
    from: toMs(valueOf('after'), 0),
    until: toMs(valueOf('before'), DAY_MS),
    before: before ?? '',
  };
  const given = Object.entries(asked).filter(([, value]) => value !== '');
  return given.length === 0 ? 'audit' : `audit?${new URLSearchParams(given).toString()}`;
}

/** The first instant of a day that is so much later, as a parameter; empty for no day. */
function toMs(day: string, more: number): string {
  const shown = Date.parse(day) + more;
  return Number.isNaN(shown) ? '' : String(toInstant(zoneNow.value, shown));
}

/** The address of the audit log with one more filter. */
export function linkToOnly(name: Name, value: string): string {
  return linkTo('audit', '', { ...Object.fromEntries(place.value.parameters), [name]: value });
}

/** The filters, which the address holds. What is typed applies with Enter or the button. */
export function AuditFilters({ tenants }: { readonly tenants: readonly string[] }) {
  const applied = { who: valueOf('who'), after: valueOf('after'), before: valueOf('before') };
  const [typed, setTyped] = useState(applied);
  useLayoutEffect(() => setTyped(applied), [applied.who, applied.after, applied.before]);
  const alias = valueOf('tenant');
  // A tenant that is gone has entries, too.
  const aliases = alias === '' || tenants.includes(alias) ? tenants : [alias, ...tenants];
  const field = (name: keyof typeof typed) => ({
    value: typed[name],
    onValue: (value: string) => setTyped({ ...typed, [name]: value }),
  });
  const choice = (label: string, name: Name, options: readonly (readonly [string, string])[]) => (
    <Field label={label}>
      {(ids) => (
        <Select
          {...ids}
          options={[['', 'All'], ...options]}
          value={valueOf(name)}
          onValue={(value) => setParameters({ ...typed, [name]: value })}
        />
      )}
    </Field>
  );
  return (
    <form
      class="audit-filters"
      aria-label="Filters"
      onSubmit={(event) => {
        event.preventDefault();
        setParameters(typed);
      }}
    >
      <TextField label="Person" autocomplete="off" maxLength={256} {...field('who')} />
      {choice(
        'Tenant',
        'tenant',
        aliases.map((each) => [each, each]),
      )}
      {choice('Action', 'action', Object.entries(ACTION_WORDS))}
      <DayFields zone={zoneNow.value} field={field} />
      <div class="actions">
        <button type="submit" disabled={JSON.stringify(typed) === JSON.stringify(applied)}>
          Apply
        </button>
        <button type="button" disabled={!isFiltered()} onClick={() => setParameters(NOTHING)}>
          Clear
        </button>
      </div>
    </form>
  );
}
