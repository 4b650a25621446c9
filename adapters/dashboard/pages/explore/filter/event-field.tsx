import { useMemo } from 'preact/hooks';
import { place } from '../../address/place.ts';
import { seen } from '../../address/written.ts';
import { Combobox, type ComboboxProps } from '../../parts/combobox.tsx';
import { Field } from '../../parts/field.tsx';

interface EventNameProps extends Pick<ComboboxProps, 'aria-label' | 'id' | 'value' | 'onCommit'> {
  /** The names of a tenant's events; undefined until they are known. */
  readonly names: readonly string[] | undefined;
  /** What stands for no name. */
  readonly all?: string;
}

/** One of the names of a tenant's events, or none of them. */
export function EventName({ names, all = 'all events', ...field }: EventNameProps) {
  const options = useMemo(
    () => [{ value: '', text: all }, ...(names ?? []).map((name) => ({ value: name, text: seen(name) }))],
    [names],
  );
  return (
    <Combobox
      {...field}
      options={options}
      optionWords="event names"
      pending={names ? undefined : 'Reading event names…'}
    />
  );
}

interface EventFieldProps extends Pick<EventNameProps, 'names'> {
  /** Takes the name that is chosen; empty for all events. */
  readonly onName: (name: string) => void;
}

/** The name of the events that the address asks for, out of those that a tenant has. */
export function EventField({ names, onName }: EventFieldProps) {
  return (
    <Field label="Event">
      {(ids) => (
        <EventName
          {...ids}
          value={place.value.parameters.get('event') ?? ''}
          names={names}
          onCommit={onName}
        />
      )}
    </Field>
  );
}
