import type { JsonSchema } from '../../../src/index.ts';

// Parts of schemas of the OpenAPI document.

/** A text. */
export const text: JsonSchema = { type: 'string' };
/** A text, or null as SDKs write what they do not know. */
export const textOrNull: JsonSchema = { type: ['string', 'null'] };
/** A whole number of 0 or more. */
export const whole: JsonSchema = { type: 'integer', minimum: 0 };
/** An instant as a text. */
export const instant: JsonSchema = { type: 'string', description: 'ISO 8601 with an offset' };
/** An object whose fields the sender chooses. */
export const anyObject: JsonSchema = { type: 'object', properties: {}, additionalProperties: {} };
/** A list that has nothing in it. */
export const noItems: JsonSchema = { type: 'array', maxItems: 0 };

/** A list of one kind of items. */
export const listOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
/** One value alone. */
export const only = (value: string | number | boolean): JsonSchema => ({ type: typeof value, const: value });
/** A schema of the document, by its name. */
export const toRef = (name: string): JsonSchema => ({ $ref: `#/components/schemas/${name}` });

/** An object that has all of some fields, and may have others where these are named in `optional`. */
export function objectOf(fields: JsonSchema, optional: JsonSchema = {}): JsonSchema {
  return { type: 'object', properties: { ...fields, ...optional }, required: Object.keys(fields) };
}

/** A message of a sender: fields that mean something, and any others. */
export function messageOf(optional: JsonSchema, required: JsonSchema = {}): JsonSchema {
  return { ...objectOf(required, optional), additionalProperties: {} };
}

/** A request body of JSON, with an example. */
export function jsonBody(schema: JsonSchema, example: JsonSchema): JsonSchema {
  return { required: true, content: { 'application/json': { schema, example } } };
}

/** The report on a batch, as this API's own answer has it; every dry run is answered with it. */
export const ingestReport = (): JsonSchema => toRef('IngestReport');
