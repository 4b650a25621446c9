import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import * as z from 'zod';
import { BODY_SCHEMAS } from '../src/core/query/body-schema.ts';

/** The file that holds the validators. */
export const VALIDATORS_FILE = new URL('../src/core/query/body-validators.ts', import.meta.url);

/**
 * Compiles the bodies, which zod describes, with ajv: what stands in VALIDATORS_FILE. JSON has no infinities,
 * but `1e400` is read as one, so numbers are strict.
 */
export function toValidatorsText(): string {
  const schemas = toBodyJsonSchemas();
  const ajv = new Ajv({
    strict: false,
    strictNumbers: true,
    messages: false,
    code: { source: true, esm: true, lines: true, optimize: 3 },
  });
  for (const [name, schema] of Object.entries(schemas)) {
    ajv.addSchema(toPlain(schema), `#/components/schemas/${name}`);
  }
  const bodies = Object.keys(BODY_SCHEMAS).filter((name) => name !== 'FilterEntry');
  const exported = bodies.map((name) => [`is${name}`, `#/components/schemas/${name}`]);
  const code = standaloneCode.default(ajv, Object.fromEntries(exported) as Record<string, string>);
  return [
    '// @ts-nocheck',
    '// Written by `npm run validators` from body-schema.ts; a test holds both equal.',
    '/** The bodies as JSON Schema, by name. */',
    `export const BODY_JSON_SCHEMAS = ${JSON.stringify(schemas)};`,
    withoutErrors(code),
  ].join('\n');
}

/** JSON Schema (2020-12) of every body and of the entry of a `filterSet`, by name. */
function toBodyJsonSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(BODY_SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  // Inside an OpenAPI document the place of a schema is its identity.
  const plain = Object.entries(schemas).map(([id, schema]) => [
    id,
    { ...schema, $id: undefined, $schema: undefined },
  ]);
  return JSON.parse(JSON.stringify(Object.fromEntries(plain))) as Record<string, object>;
}

/**
 * Descriptions are for people: the code of a validator need not carry them. The branches of a comparison exclude
 * each other by their operators, so the first that fits is the one: `anyOf` stops there.
 */
function toPlain(schema: object): object {
  const text = JSON.stringify(schema, (key, value: unknown) => (key === 'description' ? undefined : value));
  return JSON.parse(text.replaceAll('"oneOf":', '"anyOf":')) as object;
}

/**
 * Takes out of a validator what lists errors: findings.ts finds the words for what is refused, so a validator
 * only has to count. It halves what an embedding program loads of it.
 */
function withoutErrors(code: string): string {
  const error = String.raw`const (err\d+) = \{instance.*\};\n`;
  const push = String.raw`if\(vErrors === null\)\{\n.*\n\}\nelse \{\nvErrors\.push\(\1\);\n\}\n`;
  return code
    .replaceAll(new RegExp(error + push, 'g'), '')
    .replaceAll(/if\(vErrors !== null\)\{\nif\((\w+)\)\{\n.*\n\}\nelse \{\nvErrors = null;\n\}\n\}\n/g, '')
    .replaceAll(/vErrors = vErrors === null \? .*\nerrors = vErrors\.length;\n/g, 'errors++;\n')
    .replaceAll(/, \{instancePath[^}]*\}(=\{\})?/g, '')
    .replaceAll(/^(let vErrors = .*|validate\d+\.errors = .*)\n/gm, '');
}
