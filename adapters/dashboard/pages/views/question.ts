import { linkTo } from '../address/address.ts';
import { FIRST_PAGE, place } from '../address/place.ts';

/** The question in the address, from its first page on. */
export function questionNow(): string {
  const parameters = new URLSearchParams(place.value.parameters);
  for (const name of Object.keys(FIRST_PAGE)) parameters.delete(name);
  return parameters.toString();
}

/** The address of a question about a tenant. */
export function placeOf(alias: string, question: string): string {
  return linkTo('explore', alias) + (question === '' ? '' : `?${question}`);
}

/** The link to the current question for others, which opens its first page. */
export function shareLink(): string {
  return location.origin + location.pathname + placeOf(place.value.alias, questionNow());
}
