import { useState } from 'preact/hooks';
import { ask, countOf, messageOf, type Event, type Tenant } from './api.ts';
import { useAnswer } from './loading.ts';
import { Copy, Dialog, Empty, Field, Icon, Notice, PageHead, Table, Time } from './parts.tsx';
import { linkTo } from './place.ts';
import { mayOwn } from './roles.ts';

interface TenantsProps {
  readonly tenants: readonly Tenant[];
  readonly reload: () => void;
}

/** The plans by name, as their page of prices would say them. */
const PLANS: Readonly<Record<string, string>> = {
  free: 'Free: no Query API',
  builder: 'Builder: 2 a minute, 20 a day',
  growth: 'Growth: 10 a minute, 200 a day',
  scale: 'Scale: 100 a minute, 2,000 a day',
  custom: 'Custom: limits of its own, or none',
};

/** Every tenant, with what it holds. */
export function TenantsPage({ tenants, reload }: TenantsProps) {
  const [opened, setOpened] = useState<'new' | { readonly remove: Tenant } | { readonly edit: Tenant }>();
  const close = () => setOpened(undefined);
  const done = () => {
    close();
    reload();
  };
  return (
    <>
      <PageHead title="Tenants" lead="A tenant has its own events, keys, limits and way to send.">
        {mayOwn() && (
          <button type="button" class="primary" onClick={() => setOpened('new')}>
            <Icon name="plus" /> New tenant
          </button>
        )}
      </PageHead>
      {tenants.length === 0 ? (
        <Empty title="No tenant yet">
          {mayOwn()
            ? 'Make one, then send it events and make a key.'
            : 'Ask who administers this server for one.'}
        </Empty>
      ) : (
        <Table label="Tenants" class="stack">
          <thead>
            <tr>
              <th scope="col">Alias, for paths</th>
              <th scope="col">Name</th>
              <th scope="col">Plan</th>
              <th scope="col">Strategy</th>
              <th scope="col" class="number">
                Events
              </th>
              <th scope="col">Last event (UTC)</th>
              <th scope="col">
                <span class="hidden">What to do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {tenants.map((tenant) => (
              <Row
                key={tenant.id}
                tenant={tenant}
                edit={() => setOpened({ edit: tenant })}
                remove={() => setOpened({ remove: tenant })}
              />
            ))}
          </tbody>
        </Table>
      )}
      {opened === 'new' && <New onClose={close} onDone={done} />}
      {typeof opened === 'object' && 'edit' in opened && (
        <Edit tenant={opened.edit} onClose={close} onDone={done} />
      )}
      {typeof opened === 'object' && 'remove' in opened && (
        <Remove tenant={opened.remove} onClose={close} onDone={done} />
      )}
    </>
  );
}

/** A row, whose figures are asked for apart: a slow count holds up nothing else. */
function Row({
  tenant,
  edit,
  remove,
}: {
  readonly tenant: Tenant;
  readonly edit: () => void;
  readonly remove: () => void;
}) {
  const { alias, name, plan, authStrategy, id } = tenant;
  const count = useAnswer((signal) => countOf(alias, {}, signal), [alias]);
  const last = useAnswer(
    (signal) => ask<Event[]>(`query/${alias}`, { pagination: { size: 1 } }, { signal }),
    [alias],
  );
  return (
    <tr>
      <td data-label="Alias">
        <a class="strong" href={linkTo('explore', alias)}>
          {alias}
        </a>{' '}
        <Copy text={alias} label={`Copy ${alias}`} />
        <details class="id">
          <summary>Id</summary>
          <code>{id}</code> <span class="muted">not for paths</span>
        </details>
      </td>
      <td data-label="Name">{name}</td>
      <td data-label="Plan">
        <span class="tag">{plan}</span>
      </td>
      <td data-label="Strategy">
        <span class="tag">{authStrategy}</span>
      </td>
      <td data-label="Events" class="number">
        {count.error ?? count.value?.toLocaleString('en') ?? '…'}
      </td>
      <td data-label="Last event">
        {last.error ??
          (last.value === undefined ? '…' : <Time ms={last.value[0]?.eventTs ?? null} never="none yet" />)}
      </td>
      <td class="right">
        {mayOwn() && (
          <>
            <button type="button" class="small" onClick={edit} aria-label={`Change ${alias}`}>
              Change
            </button>{' '}
            <button type="button" class="small danger" onClick={remove} aria-label={`Delete ${alias}`}>
              Delete
            </button>
          </>
        )}
      </td>
    </tr>
  );
}

interface FormProps {
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** Sends a form's change; what was refused is said in the dialog. */
function useChange(onDone: () => void) {
  const [error, setError] = useState<string>();
  const [busy, setBusy] = useState(false);
  const change = (path: string, body: object) => {
    setBusy(true);
    ask(path, body).then(onDone, (refused: unknown) => {
      setError(messageOf(refused));
      setBusy(false);
    });
  };
  return { error, busy, change };
}

function New({ onClose, onDone }: FormProps) {
  const [alias, setAlias] = useState('');
  const [name, setName] = useState('');
  const [plan, setPlan] = useState('builder');
  const { error, busy, change } = useChange(onDone);
  return (
    <Dialog title="New tenant" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change('tenants/create', { alias, plan, ...(name.trim() === '' ? {} : { name }) });
        }}
      >
        <Field label="Alias" hint="In every address: a-z, 0-9, - and _. It cannot be changed later.">
          {(ids) => (
            <input
              {...ids}
              required
              autoFocus
              maxLength={63}
              value={alias}
              onInput={(e) => setAlias(e.currentTarget.value)}
            />
          )}
        </Field>
        <Field label="Name" hint="For people. The alias where there is none.">
          {(ids) => (
            <input {...ids} maxLength={256} value={name} onInput={(e) => setName(e.currentTarget.value)} />
          )}
        </Field>
        <PlanField plan={plan} setPlan={setPlan} />
        {error !== undefined && <Notice kind="error">{error}</Notice>}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy}>
            Make the tenant
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function PlanField({ plan, setPlan }: { readonly plan: string; readonly setPlan: (plan: string) => void }) {
  return (
    <Field label="Plan">
      {(ids) => (
        <select {...ids} value={plan} onChange={(e) => setPlan(e.currentTarget.value)}>
          {Object.entries(PLANS).map(([each, text]) => (
            <option key={each} value={each}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

function Edit({ tenant, onClose, onDone }: FormProps & { readonly tenant: Tenant }) {
  const [name, setName] = useState(tenant.name);
  const [plan, setPlan] = useState(tenant.plan);
  const [perMinute, setPerMinute] = useState(String(tenant.limits?.perMinute ?? ''));
  const [perDay, setPerDay] = useState(String(tenant.limits?.perDay ?? ''));
  const { error, busy, change } = useChange(onDone);
  const limits =
    plan !== 'custom'
      ? {}
      : {
          limits: perMinute + perDay === '' ? null : { perMinute: Number(perMinute), perDay: Number(perDay) },
        };
  return (
    <Dialog title={`Change ${tenant.alias}`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change(`tenants/set/${tenant.alias}`, { name, plan, ...limits });
        }}
      >
        <Field label="Name">
          {(ids) => (
            <input
              {...ids}
              required
              autoFocus
              maxLength={256}
              value={name}
              onInput={(e) => setName(e.currentTarget.value)}
            />
          )}
        </Field>
        <PlanField plan={plan} setPlan={setPlan} />
        {plan === 'custom' && (
          <div class="pair">
            <Field label="Requests a minute" hint="Both empty: no limit.">
              {(ids) => (
                <input
                  {...ids}
                  inputMode="numeric"
                  value={perMinute}
                  onInput={(e) => setPerMinute(e.currentTarget.value)}
                />
              )}
            </Field>
            <Field label="Requests a day">
              {(ids) => (
                <input
                  {...ids}
                  inputMode="numeric"
                  value={perDay}
                  onInput={(e) => setPerDay(e.currentTarget.value)}
                />
              )}
            </Field>
          </div>
        )}
        {error !== undefined && <Notice kind="error">{error}</Notice>}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={busy}>
            Save
          </button>
        </footer>
      </form>
    </Dialog>
  );
}

function Remove({ tenant: { alias }, onClose, onDone }: FormProps & { readonly tenant: Tenant }) {
  const [said, setSaid] = useState('');
  const { error, busy, change } = useChange(onDone);
  return (
    <Dialog title={`Delete ${alias}?`} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          change(`tenants/delete/${alias}`, { alias: said });
        }}
      >
        <p>Its keys open nothing from the next request on, and all its events are gone for good.</p>
        <Field label={`Type ${alias} to be sure`}>
          {(ids) => (
            <input
              {...ids}
              autoFocus
              autocomplete="off"
              value={said}
              onInput={(e) => setSaid(e.currentTarget.value)}
            />
          )}
        </Field>
        {error !== undefined && <Notice kind="error">{error}</Notice>}
        <footer>
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="danger" disabled={busy || said !== alias}>
            Delete for good
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
