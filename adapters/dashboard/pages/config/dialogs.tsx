import { useState } from 'preact/hooks';
import type { ConfigEntry } from '../../../../src/store-kit.ts';
import { FormDialog } from '../parts/dialog.tsx';
import { Field, TextField } from '../parts/field.tsx';
import { ask } from '../server/api.ts';

interface DialogProps {
  readonly alias: string;
  readonly onClose: () => void;
  readonly onDone: () => void;
}

/** The dialog that sets a value: of a key that has one, or of a new one. */
export function SetValue({ alias, of, ...dialog }: DialogProps & { readonly of: ConfigEntry | undefined }) {
  const [key, setKey] = useState(of?.key ?? '');
  const [value, setValue] = useState(of?.value ?? '');
  return (
    <FormDialog
      {...dialog}
      title={of === undefined ? 'Set a value' : `Change ${of.key}`}
      act="Save"
      send={() => ask(`config/set/${alias}`, { key, value })}
    >
      {of === undefined && (
        <TextField
          label="Key"
          hint="Letters, digits, dots, hyphens and underscores. A key that has a value gets the new one."
          required
          autoFocus
          maxLength={128}
          value={key}
          onValue={setKey}
        />
      )}
      <Field label="Value" hint="A text of at most 4,096 characters. Programs often put JSON into it.">
        {(ids) => (
          <textarea
            {...ids}
            required
            autoFocus={of !== undefined}
            maxLength={4096}
            rows={4}
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
        )}
      </Field>
    </FormDialog>
  );
}

/** The dialog that removes a value. */
export function UnsetValue({ alias, of: { key }, ...dialog }: DialogProps & { readonly of: ConfigEntry }) {
  return (
    <FormDialog
      {...dialog}
      title={`Remove ${key}?`}
      act="Remove"
      isDangerous
      isQuestion
      send={() => ask(`config/unset/${alias}`, { key })}
    >
      <p>Pages that ask for it use their own default from then on.</p>
    </FormDialog>
  );
}
