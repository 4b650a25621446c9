import { computed, signal } from '@preact/signals';
import { zoneOf } from '../time/asked.ts';
import { isZone, UTC } from '../time/zone.ts';
import { FIRST_PAGE, pageNow, place, setParameters } from './place.ts';

const KEY = 'event-query-zone';

/** The zone that was chosen last; UTC if none was, or if the browser does not know it. */
function readZone(): string {
  try {
    const zone = localStorage.getItem(KEY) ?? '';
    return isZone(zone) ? zone : UTC;
  } catch {
    return UTC;
  }
}

/** Whether the page has a range of time, beside which the zone is chosen. */
export const hasRange = computed(() => ['explore', 'users', 'funnel', 'retention'].includes(pageNow.value));

/** The zone that was chosen last. */
const chosen = signal(readZone());

/** The zone in which all pages show times: that of the address, or else the one that was chosen last. */
export const zoneNow = computed(() => {
  const zone = zoneOf(place.value.parameters, chosen.value);
  return isZone(zone) ? zone : UTC;
});

/**
 * Chooses the zone of all pages, and stores it for the next visit if the browser allows that. The address
 * of a page with a range of time names it too, for those who are given it.
 */
export function chooseZone(zone: string): void {
  chosen.value = zone;
  try {
    localStorage.setItem(KEY, zone);
  } catch {
    // Without storage, the zone lasts until the user leaves the page.
  }
  const isNamed = place.peek().parameters.has('zone');
  if (hasRange.peek() || isNamed) setParameters({ zone: zone === UTC ? '' : zone, ...FIRST_PAGE });
}
