import { useState } from 'preact/hooks';
import type { TenantAnswer } from '../../../src/admin-api.ts';
import { messageOf, signOut, who } from './server/api.ts';
import { Combobox } from './parts/combobox.tsx';
import { Field } from './parts/field.tsx';
import { seen } from './address/written.ts';
import { Notice } from './parts/text.tsx';
import { ZoneField } from './parts/zone-field.tsx';
import { hasRange } from './address/zone.ts';
import { paletteKeys } from './shortcuts/keys-text.ts';
import { opened } from './shortcuts/opened.ts';
import { setTheme, theme, THEMES } from './theme.ts';

/** The choice of the current tenant. */
export function Chooser({
  tenants,
  tenant,
  linkOf,
}: {
  readonly tenants: readonly TenantAnswer[];
  readonly tenant: TenantAnswer | undefined;
  /** The address to which the choice of a tenant leads. */
  readonly linkOf: (alias: string) => string;
}) {
  return (
    <div class="chooser">
      <Field label="Tenant">
        {(ids) => (
          <Combobox
            {...ids}
            placeholder={tenants.length === 0 ? '…' : 'Choose'}
            value={tenant?.alias ?? ''}
            options={tenants.map(({ alias }) => ({ value: alias }))}
            optionWords="tenants"
            onCommit={(alias) => {
              location.hash = linkOf(alias);
            }}
          />
        )}
      </Field>
    </div>
  );
}

/** The button that opens the palette, with its keys. */
export function GoTo() {
  return (
    <button type="button" class="go-to" onClick={() => (opened.value = 'palette')}>
      Go to… <kbd aria-hidden="true">{paletteKeys}</kbd>
    </button>
  );
}

/** The end of the menu: the theme, the user and the keys. */
export function Foot() {
  const [error, setError] = useState<string>();
  return (
    <div class="foot">
      {!hasRange.value && <ZoneField />}
      <fieldset class="themes">
        <legend>Theme</legend>
        {THEMES.map((each) => (
          <label key={each}>
            <input type="radio" name="theme" checked={theme.value === each} onChange={() => setTheme(each)} />
            <span>{each}</span>
          </label>
        ))}
      </fieldset>
      <p>
        <strong>
          <bdi>{seen(who.value?.name ?? '')}</bdi>
        </strong>{' '}
        <span class="muted">{who.value?.role}</span>
      </p>
      <button
        type="button"
        class="small"
        onClick={() => void signOut().catch((failed: unknown) => setError(messageOf(failed)))}
      >
        Sign out
      </button>
      <button type="button" class="small ghost" onClick={() => (opened.value = 'help')}>
        Keyboard shortcuts
      </button>
      {error !== undefined && <Notice kind="error">{error}</Notice>}
    </div>
  );
}
