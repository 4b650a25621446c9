import { invalid } from '../../base/errors.ts';
import { quote } from '../../event/text.ts';

const NAME = 'dryRun';

/**
 * Whether `?dryRun=true` was sent. Other parameters mean nothing, but a value or a spelling that is nearly
 * right is refused: its sender believes that nothing is stored. Throws ApiError (400).
 */
export function readDryRun(queryString: string): boolean {
  if (queryString === '') return false;
  let isAsked = false;
  for (const parameter of queryString.split('&')) {
    const [name = ''] = parameter.split('=', 1);
    if (name.replace(/[^a-z]/gi, '').toLowerCase() !== NAME.toLowerCase()) continue;
    if (parameter !== `${NAME}=true`)
      throw invalid('query string', `takes ${NAME}=true, or no ${NAME}, got ${quote(parameter)}`);
    isAsked = true;
  }
  return isAsked;
}
