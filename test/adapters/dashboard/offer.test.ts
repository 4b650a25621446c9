import { expect, it } from 'vitest';
import { toPath } from '../../../adapters/dashboard/pages/address/paths.ts';
import { offerFor } from '../../../adapters/dashboard/pages/parts/offer.ts';
import { search } from '../../../adapters/dashboard/pages/parts/search.ts';

const PATHS = ['eventName', 'properties.planet', 'properties.user.plan', 'properties.app.version'].map(
  (value) => ({ value }),
);

it.each([
  ['plan', 'properties.planet'],
  ['user plan', 'properties.user.plan'],
  ['version', 'properties.app.version'],
  // A path that is said in full is taken, whatever else begins like it.
  ['planet', 'properties.planet'],
  ['properties.user.plan', 'properties.user.plan'],
  [' eventName ', 'eventName'],
  // Nothing is found, or nothing was typed: the text is the value.
  ['properties.other', undefined],
  ['', undefined],
])('Enter after "%s" takes %s', (typed, taken) => {
  const found = search(PATHS, typed, ({ value }) => [value]);
  expect(found[offerFor(typed, found, toPath)]?.value).toBe(taken);
});
