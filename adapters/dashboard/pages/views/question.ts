import { signal } from '@preact/signals';
import { linkTo } from '../address/address.ts';
import { FIRST_PAGE, place } from '../address/place.ts';
import { saidQuestion, type SaidRange } from '../address/said-question.ts';
import { zoneNow } from '../address/zone.ts';
import { UTC } from '../time/zone.ts';

/** The range of time that the explorer shows; undefined while it shows none. */
export const shownRange = signal<SaidRange | undefined>(undefined);

/**
 * The question in the address, from its first page on. It says its range of time, also where that is the one
 * of the first view: for somebody else, or tomorrow, that may be another one.
 */
export function questionNow(isExact = false): string {
  const { parameters } = place.value;
  const changes = saidQuestion(parameters, shownRange.value, isExact);
  const question = new URLSearchParams(parameters);
  question.delete('view');
  for (const [name, value] of Object.entries({ ...FIRST_PAGE, ...changes })) {
    if (value === '') question.delete(name);
    else question.set(name, value);
  }
  return question.toString();
}

/** The address of a question about a tenant. */
function placeOf(alias: string, question: string): string {
  return linkTo('explore', alias) + (question === '' ? '' : `?${question}`);
}

/** The address of a saved view, which says its name. */
export function placeOfView(alias: string, { question, name }: { question: string; name: string }): string {
  const parameters = new URLSearchParams(question);
  parameters.set('view', name);
  return placeOf(alias, parameters.toString());
}

/**
 * The link to the current question for others, which opens its first page, in the zone that is shown: until
 * now, whenever that is, or with the exact times of the answers that are shown.
 */
export function shareLink(isExact = false): string {
  const parameters = new URLSearchParams(questionNow(isExact));
  if (zoneNow.value !== UTC) parameters.set('zone', zoneNow.value);
  return location.origin + location.pathname + placeOf(place.value.alias, parameters.toString());
}
