import { invalid } from '../../base/errors.ts';
import { decodeFormValue, quote } from '../../event/text.ts';
import type { BodySchema } from '../../query/findings.ts';

/**
 * Reads the parameters of a query string, each that a schema names at most once and no others: a misspelt
 * filter would silently do nothing. Where the schema wants a number, the text becomes one. Throws ApiError
 * (400).
 */
export function readParameters(
  queryString: string,
  { properties = {} }: BodySchema,
): Readonly<Record<string, string | number>> {
  const found: Record<string, string | number> = {};
  for (const parameter of queryString === '' ? [] : queryString.split('&')) {
    const [name = '', ...rest] = parameter.split('=');
    const value = decodeFormValue(rest.join('='));
    if (!Object.hasOwn(properties, name) || Object.hasOwn(found, name) || value === undefined) {
      const takes = `takes ${Object.keys(properties).join(', ')}, each once`;
      throw invalid('query string', `${takes}, got ${quote(parameter)}`);
    }
    const isText = properties[name]?.type === 'string';
    // `Number` would make 0 of an empty text.
    found[name] = isText ? value : Number(value || NaN);
  }
  return found;
}
