import type { Event } from '../../../../src/index.ts';
import { DAY_MS } from '../time/unit.ts';
import { textIn, UTC, weekdayIn } from '../time/zone.ts';

/** The events of a day that follow each other. */
export interface DayOfEvents {
  /** The day with its weekday, such as `Wed 2026-05-20`. */
  readonly name: string;
  /** How far it is from the day above, such as `5 days later`; empty for the first and for the next day. */
  readonly note: string;
  readonly events: readonly Event[];
}

const DAY_LENGTH = 10;

/** Events in their order, by days of a zone. A clock that goes back over midnight shows a day once more. */
export function byDay(events: readonly Event[], zone: string): readonly DayOfEvents[] {
  const days: { day: string; readonly events: Event[] }[] = [];
  for (const event of events) {
    const day = textIn(zone, Date.parse(event.eventTs), DAY_LENGTH);
    const last = days.at(-1);
    if (last?.day === day) last.events.push(event);
    else days.push({ day, events: [event] });
  }
  return days.map(({ day, events: own }, i) => ({
    name: `${weekdayIn(UTC, Date.parse(day))} ${day}`,
    note: i === 0 ? '' : distance(days[i - 1]!.day, day),
    events: own,
  }));
}

/** How far a day is from another one. That the next day follows is no news. */
function distance(from: string, to: string): string {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS);
  return Math.abs(days) < 2 ? '' : `${Math.abs(days)} days ${days > 0 ? 'later' : 'earlier'}`;
}
