import { signal } from '@preact/signals';
import { zoneNow } from '../address/zone.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time/unit.ts';
import { SECONDS_LENGTH, textIn } from '../time/zone.ts';

/** The time by which ages are told. It goes on once a minute while the window is visible. */
const now = signal(Date.now());
setInterval(() => {
  if (!document.hidden) now.value = Date.now();
}, MINUTE_MS);

/** The units of an age, from the largest that is told: older instants are told by their date alone. */
const UNITS = [
  ['d', DAY_MS],
  ['h', HOUR_MS],
  ['min', MINUTE_MS],
] as const;
const TOLD_DAYS = 30;

/** How long ago an instant was, in the largest whole unit; undefined if that says too little. */
function agoText(ms: number, from: number): string | undefined {
  const age = from - ms;
  if (age < MINUTE_MS) return 'just now';
  const [unit, length] = UNITS.find(([, each]) => age >= each)!;
  const count = Math.floor(age / length);
  return unit === 'd' && count > TOLD_DAYS ? undefined : `${count} ${unit} ago`;
}

/** How long ago an instant was, and the instant in the zone, with UTC as its title. */
export function Ago({ ms }: { readonly ms: number }) {
  const iso = new Date(ms).toISOString();
  // An instant that was loaded just now is later than the last minute.
  const ago = agoText(ms, Math.max(now.value, ms));
  const exact = textIn(zoneNow.value, ms, SECONDS_LENGTH);
  return (
    <time class="ago" dateTime={iso} title={`${iso} (UTC)`}>
      {ago !== undefined && <span>{ago}</span>} <span class="muted">{exact}</span>
    </time>
  );
}
