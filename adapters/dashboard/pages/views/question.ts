import { linkTo, place } from '../address/place.ts';

/** The question in the address, without what its pages keep: their cursor, and the instant of all of them. */
export function questionNow(): string {
  const parameters = new URLSearchParams(place.value.parameters);
  for (const name of ['cursor', 'at']) parameters.delete(name);
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
