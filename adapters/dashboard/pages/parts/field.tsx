import type { ComponentChildren, InputHTMLAttributes, SelectHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';
import { seen } from '../address/written.ts';
import { UTC } from '../time/zone.ts';

interface LabelProps {
  readonly label: string;
  readonly hint?: string;
}

/** A field with its label and a hint. */
export function Field({
  label,
  hint,
  children,
}: LabelProps & {
  readonly children: (ids: {
    readonly id: string;
    readonly 'aria-describedby'?: string;
  }) => ComponentChildren;
}) {
  const id = useId();
  const described = hint === undefined ? {} : { 'aria-describedby': `${id}-hint` };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, ...described })}
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
    </div>
  );
}

interface ValueProps<T extends string> {
  readonly value: T;
  readonly onValue: (value: T) => void;
}

/** A text field of one line. */
export function TextField({
  label,
  hint,
  value,
  onValue,
  ...more
}: LabelProps & ValueProps<string> & InputHTMLAttributes) {
  return (
    <Field label={label} {...(hint === undefined ? {} : { hint })}>
      {(ids) => (
        <input {...more} {...ids} value={value} onInput={(event) => onValue(event.currentTarget.value)} />
      )}
    </Field>
  );
}

/** The fields for the first and the last day of a range. An empty one leaves its end of the range open. */
export function DayFields({
  zone = UTC,
  field,
}: {
  readonly zone?: string;
  readonly field: (name: 'after' | 'before') => ValueProps<string>;
}) {
  return (
    <>
      <TextField label={`First day (${zone})`} type="date" max="2099-12-31" {...field('after')} />
      <TextField label={`Last day (${zone})`} type="date" max="2099-12-31" {...field('before')} />
    </>
  );
}

/** A choice of one value from several, each with its text. */
export function Select<T extends string>({
  options,
  value,
  onValue,
  ...more
}: ValueProps<T> & {
  readonly options: readonly (readonly [value: T, text: string])[];
} & SelectHTMLAttributes) {
  return (
    <select {...more} value={value} onChange={(event) => onValue(event.currentTarget.value as T)}>
      {options.map(([each, text]) => (
        <option key={each} value={each}>
          {text}
        </option>
      ))}
    </select>
  );
}

interface CheckProps {
  readonly type?: 'checkbox' | 'radio';
  readonly name?: string;
  readonly checked: boolean;
  readonly onChange: () => void;
  readonly children: ComponentChildren;
}

/** A checkbox or a radio button, with its label. */
export function Check({ type = 'checkbox', name, checked, onChange, children }: CheckProps) {
  return (
    <label class="check">
      <input type={type} name={name} checked={checked} onChange={onChange} /> <span>{children}</span>
    </label>
  );
}

interface ConfirmProps {
  /** What has to be typed. */
  readonly word: string;
  readonly value: string;
  readonly onValue: (value: string) => void;
}

/** The field into which the name of what is removed for good is typed before. */
export function Confirm({ word, value, onValue }: ConfirmProps) {
  return (
    <TextField
      label={`Type “${seen(word)}” to confirm`}
      autoFocus
      autocomplete="off"
      value={value}
      onValue={onValue}
    />
  );
}
