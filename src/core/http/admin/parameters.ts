import { invalid } from '../../base/errors.ts';
import { decodeFormValue, quote } from '../../event/text.ts';

/**
 * Reads the parameters of a query string, each of these names at most once and no others: a misspelt filter
 * would silently do nothing. Throws ApiError (400).
 */
export function readParameters<Name extends string>(
  queryString: string,
  names: readonly Name[],
): Readonly<Partial<Record<Name, string>>> {
  const found: Partial<Record<Name, string>> = {};
  for (const parameter of queryString === '' ? [] : queryString.split('&')) {
    const [said = '', ...rest] = parameter.split('=');
    const name = names.find((each) => each === said);
    const value = decodeFormValue(rest.join('='));
    if (name === undefined || found[name] !== undefined || value === undefined)
      throw invalid('query string', `takes ${names.join(', ')}, each once, got ${quote(parameter)}`);
    found[name] = value;
  }
  return found;
}

/** A parameter as a number; NaN where it is none, and for an empty text, of which `Number` would make 0. */
export const toNumber = (text: string): number => Number(text || NaN);
