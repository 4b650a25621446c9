import { Copy } from '../parts/copy.tsx';
import { Field, TextField } from '../parts/field.tsx';
import type { KeyRestrictions } from '../../../../src/store-kit.ts';
import type { KeyAnswer } from '../../../../src/admin-api.ts';
import type { FilterEntry } from '../../../../src/index.ts';
import { hasNames } from '../explore/filter/comparisons.ts';
import { entryWords } from '../explore/filter/entry-words.ts';

/** The restrictions of a public write key as the form has them. */
export interface WriteForm {
  readonly origins: string;
  readonly eventNames: string;
  readonly eventsPerMinute: string;
  readonly eventsPerDay: string;
}

/** An empty form. */
export const EMPTY_WRITE_FORM: WriteForm = {
  origins: '',
  eventNames: '',
  eventsPerMinute: '',
  eventsPerDay: '',
};

/** The form as the Admin API takes it. An empty field is left out. */
export function toRestrictions(form: WriteForm): Partial<KeyRestrictions> {
  const eventNames = linesOf(form.eventNames);
  return {
    origins: linesOf(form.origins),
    ...(eventNames.length === 0 ? {} : { eventNames }),
    ...(form.eventsPerMinute === '' ? {} : { eventsPerMinute: Number(form.eventsPerMinute) }),
    ...(form.eventsPerDay === '' ? {} : { eventsPerDay: Number(form.eventsPerDay) }),
  };
}

/** What a key reads of which names are told, one per line; nothing where none is. */
export function toFilterSet(names: string): { readonly filterSet?: readonly FilterEntry[] } {
  const lines = linesOf(names);
  return lines.length === 0 ? {} : { filterSet: [hasNames(lines)] };
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
}

/** The fields that restrict a public write key. */
export function WriteFields({
  form,
  setForm,
}: {
  readonly form: WriteForm;
  readonly setForm: (form: WriteForm) => void;
}) {
  const set = (name: keyof WriteForm) => (value: string) => setForm({ ...form, [name]: value });
  return (
    <>
      <Lines
        label="Origins"
        hint="Of the pages that send, one per line, such as https://shop.example; or * for any sender."
        required
        value={form.origins}
        onValue={set('origins')}
      />
      <Lines
        label="Event names"
        hint="One per line. Leave empty for any."
        value={form.eventNames}
        onValue={set('eventNames')}
      />
      <div class="pair">
        <TextField
          label="Events a minute"
          hint="Empty: 6,000."
          inputMode="numeric"
          value={form.eventsPerMinute}
          onValue={set('eventsPerMinute')}
        />
        <TextField
          label="Events a day"
          hint="Empty: 1,000,000."
          inputMode="numeric"
          value={form.eventsPerDay}
          onValue={set('eventsPerDay')}
        />
      </div>
    </>
  );
}

/** The field that leaves a key for queries the events of some names. */
export function ReadField({
  names,
  setNames,
}: {
  readonly names: string;
  readonly setNames: (names: string) => void;
}) {
  return (
    <Lines
      label="Reads only these events"
      hint="Names, one per line. Leave empty for all events. It cannot be changed later."
      value={names}
      onValue={setNames}
    />
  );
}

function Lines({
  label,
  hint,
  required = false,
  value,
  onValue,
}: {
  readonly label: string;
  readonly hint: string;
  readonly required?: boolean;
  readonly value: string;
  readonly onValue: (value: string) => void;
}) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <textarea
          {...ids}
          rows={2}
          required={required}
          spellcheck={false}
          value={value}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** The permissions of a key, and what it is restricted to; of a public write key its text, too. */
export function Permissions({
  of: { permissions, restrictions, filterSet, secrets },
}: {
  readonly of: KeyAnswer;
}) {
  const text = secrets.at(-1)?.text;
  return (
    <>
      {permissions.join(', ')}
      {text !== undefined && <Copy text={text} label="Copy the write key" isBrief />}
      {filterSet !== null && <p class="hint">only {filterSet.map(entryWords).join(' and ')}</p>}
      {restrictions !== null && (
        <p class="hint">
          {restrictions.origins.includes('*') ? 'any origin' : restrictions.origins.join(', ')}
          {restrictions.eventNames !== null && <>; {restrictions.eventNames.join(', ')}</>}
        </p>
      )}
    </>
  );
}
