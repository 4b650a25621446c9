import type { Filter } from '../../../../../src/index.ts';
import { addFilter, setQuestion } from '../../address/question.ts';
import { linkTo } from '../../address/address.ts';
import { place } from '../../address/place.ts';
import { hasValue, nameAsked } from './comparisons.ts';

/**
 * Adds a filter for a value that the page shows. The page of a user has no filters of its own, so from there
 * it leads to the explorer, with the user as another filter.
 */
export function askFor(filter: Filter): void {
  const { page, alias, parameters } = place.value;
  if (page !== 'person') {
    const name = nameAsked(filter);
    // The name of an event has a field of its own, and the paths are then those of such events.
    if (name !== undefined && !parameters.has('event')) {
      setQuestion({ event: name });
      return;
    }
    addFilter(parameters, filter);
    // The rows may become fewer, so the answer to the new question comes into view.
    document.querySelector('.count')?.scrollIntoView({ block: 'nearest' });
    return;
  }
  const ofUser = hasValue('userId', parameters.get('user') ?? '', false);
  location.hash = linkTo('explore', alias, { range: 'all', filter: JSON.stringify([ofUser, filter]) });
}
