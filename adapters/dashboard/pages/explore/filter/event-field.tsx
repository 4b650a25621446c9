import { useMemo } from 'preact/hooks';
import { place } from '../../address/place.ts';
import { seen } from '../../address/written.ts';
import { Combobox } from '../../parts/combobox.tsx';
import { Field } from '../../parts/field.tsx';

const ALL_EVENTS = { value: '', text: 'all events' };

interface EventFieldProps {
  readonly names: readonly string[];
  /** Takes the name that is chosen; empty for all events. */
  readonly onName: (name: string) => void;
}

/** The name of the events that the address asks for, out of those that a tenant has. */
export function EventField({ names, onName }: EventFieldProps) {
  const options = useMemo(
    () => [ALL_EVENTS, ...names.map((name) => ({ value: name, text: seen(name) }))],
    [names],
  );
  return (
    <Field label="Event">
      {(ids) => (
        <Combobox
          {...ids}
          value={place.value.parameters.get('event') ?? ''}
          options={options}
          optionWords="event names"
          onCommit={onName}
        />
      )}
    </Field>
  );
}
