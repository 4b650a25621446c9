import { signal } from '@preact/signals';
import type { Event } from '../../../../src/index.ts';
import { now, place, refreshed } from '../address/place.ts';
import { bodyOf, filtersOf, setQuestion } from '../address/question.ts';
import { zoneNow } from '../address/zone.ts';
import { ask } from '../server/api.ts';
import { useAnswer } from '../server/loading.ts';
import {
  endOfPreset,
  moves,
  firstPreset,
  presetShown,
  rangeAsked,
  saysTime,
  toRange,
  type Preset,
} from '../time/asked.ts';
import type { TimeRange } from '../time/unit.ts';
import { isEnd, rangeOf, within, type AskedQuestion } from './asked-question.ts';

/** The question at a place whose first view shows a preset. */
function askedAt(parameters: URLSearchParams, instant: number, first: Preset): AskedQuestion {
  const preset = presetShown(parameters, first);
  const plain = bodyOf(parameters);
  const zone = zoneNow.value;
  const body = within(plain, rangeAsked(parameters, instant, first, zone));
  const about = ['from', 'until'].map((name) => parameters.get(name) ?? '');
  return {
    body,
    subject: JSON.stringify([plain, preset, about, zone]),
    since: endOfPreset(parameters, moves(preset) ? instant : refreshed.value),
    range: rangeOf(body),
    preset,
    zone,
  };
}

/** The preset of the first view of a tenant, once it is known. */
const first = signal<{ readonly alias: string; readonly preset: Preset } | undefined>(undefined);

/** The question at the current place; undefined while the range of the first view is unknown. */
export function askedNow(alias: string): AskedQuestion | undefined {
  const { parameters } = place.value;
  const known = first.value?.alias === alias ? first.value.preset : undefined;
  if (known === undefined && !saysTime(parameters)) return undefined;
  return askedAt(parameters, now.value, known ?? 'all');
}

/** The question for the latest event until an instant. */
export const questionOfLatest = (instant: number) => ({
  ...within({}, { from: -Infinity, until: instant + 1 }),
  pagination: { size: 1 },
});

/** The question at the current place. It finds out which range of time the first view of a tenant shows. */
export function useAsked(alias: string) {
  const asked = askedNow(alias);
  const isKnown = asked !== undefined;
  const { error, again } = useAnswer(
    async (signal) => {
      if (isKnown) return;
      const instant = now.peek();
      const [latest] = await ask<Event[]>(`query/${alias}`, questionOfLatest(instant), { signal });
      if (!signal.aborted)
        first.value = { alias, preset: firstPreset(latest && Date.parse(latest.eventTs), instant) };
    },
    [alias, isKnown],
  );
  return { asked, error, again };
}

/** The last range that was chosen within another one, and that one. */
const chosen = signal<{ readonly range: TimeRange; readonly around: TimeRange } | undefined>(undefined);

/** The range out of which a range was chosen last; undefined if it was not. */
export function rangeAround({ from, until }: TimeRange): TimeRange | undefined {
  const { range, around } = chosen.value ?? {};
  return range?.from === from && range.until === until ? around : undefined;
}

/** Narrows the question to a range of time. */
export function narrow(range: TimeRange): void {
  const { parameters, alias } = place.value;
  const around = askedNow(alias)?.range;
  chosen.value = around && { range, around };
  const filters = filtersOf(parameters).filter((entry) => !isEnd(entry));
  setQuestion({ ...toRange(range), filter: filters.length === 0 ? '' : JSON.stringify(filters), unit: '' });
}
