import { linkTo, place } from '../address/place.ts';

/** The question in the address, without the cursor of its page. */
export function questionNow(): string {
  const parameters = new URLSearchParams(place.value.parameters);
  parameters.delete('cursor');
  return parameters.toString();
}

/** The address of a question about a tenant. */
export function placeOf(alias: string, question: string): string {
  return linkTo('explore', alias) + (question === '' ? '' : `?${question}`);
}

/** The link to the current page for others, without the cursor of its page. */
export function shareLink(): string {
  return location.origin + location.pathname + placeOf(place.value.alias, questionNow());
}
