import { useId, useMemo, useState } from 'preact/hooks';
import { chooseZone, zoneNow } from '../address/zone.ts';
import { nameBefore, nameToday } from '../time/zone-names.ts';
import { UTC } from '../time/zone.ts';
import { Combobox } from './combobox.tsx';

/** The choice of the zone of all pages. The list begins with UTC, that of the browser and the one in use. */
export function ZoneField() {
  const id = useId();
  const zone = zoneNow.value;
  const own = nameToday(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [isOpen, setOpen] = useState(false);
  // The browser takes some milliseconds to list its zones, so it does that when the field gets the focus.
  const others = useMemo(() => (isOpen ? Intl.supportedValuesOf('timeZone').map(nameToday) : []), [isOpen]);
  const options = useMemo(
    () =>
      [...new Set([UTC, own, zone, ...others])].map((value) => {
        const also = nameBefore(value);
        const note = value === own && value !== UTC ? 'browser' : also;
        return { value, ...(also === undefined ? {} : { also }), ...(note === undefined ? {} : { note }) };
      }),
    [own, zone, others],
  );
  return (
    <div class="inline-label" onFocusIn={() => setOpen(true)}>
      <label for={id}>Time zone</label>
      <Combobox id={id} value={zone} options={options} optionWords="time zones" onCommit={chooseZone} />
    </div>
  );
}
