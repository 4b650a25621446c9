import type { WireFormat } from '../../../src/index.ts';

/** The types of a body that is JSON; browsers send a beacon with a text as plain. */
export const JSON_TYPES: WireFormat['types'] = { 'application/json': 'json', 'text/plain': 'json' };

/** Those of one that is JSON, or holds JSON in a form. */
export const FORM_TYPES: WireFormat['types'] = {
  'application/json': 'json',
  'text/plain': 'json',
  'application/x-www-form-urlencoded': 'json',
};
