import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import * as z from 'zod';
import { ADMIN_BODY_SCHEMAS, ADMIN_PART_SCHEMAS } from '../src/core/access/admin-body-schema.ts';
import { ADMIN_ANSWER_SCHEMAS } from '../src/core/http/schemas/admin-answer-schema.ts';
import { ANSWER_SCHEMAS } from '../src/core/http/schemas/answer-schema.ts';
import { BODY_SCHEMAS } from '../src/core/query/body-schema.ts';

/** What is written from the schemas: the file, and what stands in it. */
interface Generated {
  readonly file: URL;
  readonly text: string;
}

const inCore = (path: string) => new URL(`../src/core/${path}`, import.meta.url);

/** Everything that is sent and answered, by the names that OpenAPI gives it. */
const SCHEMAS = {
  ...BODY_SCHEMAS,
  ...ANSWER_SCHEMAS,
  ...ADMIN_PART_SCHEMAS,
  ...ADMIN_BODY_SCHEMAS,
  ...ADMIN_ANSWER_SCHEMAS,
};

/** Every file that `npm run validators` writes. */
export function generatedFiles(): readonly Generated[] {
  const all = toJsonSchemas();
  const isBody = ([name]: [string, object]) => name in BODY_SCHEMAS;
  const bodies = Object.fromEntries(Object.entries(all).filter(isBody));
  const others = withoutSafeBound(Object.fromEntries(Object.entries(all).filter((entry) => !isBody(entry))));
  const fields = Object.entries(ADMIN_BODY_SCHEMAS).map(([name, schema]) => [
    name,
    Object.keys(z.toJSONSchema(schema, { io: 'input' }).properties ?? {}),
  ]);
  return [
    { file: inCore('query/body-validators.ts'), text: toValidatorsText(bodies) },
    {
      file: inCore('http/schemas/json-schemas.ts'),
      text: toText('The answers, and all bodies but those of questions, as JSON Schema.', {
        JSON_SCHEMAS: others,
      }),
    },
    {
      file: inCore('access/admin-body-fields.ts'),
      text: toText('The fields of each body of the Admin API.', {
        ADMIN_BODY_FIELDS: Object.fromEntries(fields),
      }),
    },
  ];
}

/** What is answered is counted: that a number is a safe integer need not be said of each. */
function withoutSafeBound(schemas: object): object {
  const isSafeBound = (key: string, value: unknown) => key === 'maximum' && value === Number.MAX_SAFE_INTEGER;
  const text = JSON.stringify(schemas, (key, value: unknown) =>
    isSafeBound(key, value) ? undefined : value,
  );
  return JSON.parse(text) as object;
}

/** The text of a file that exports one constant. */
function toText(doc: string, constant: Readonly<Record<string, unknown>>): string {
  const [[name, value] = []] = Object.entries(constant);
  return [
    '// Written by `npm run validators` from the schemas; a test holds both equal.',
    `/** ${doc} */`,
    `export const ${name} = ${JSON.stringify(value)} as const;`,
    '',
  ].join('\n');
}

/**
 * Compiles the bodies, which zod describes, with ajv. JSON has no infinities, but `1e400` is read as one, so
 * numbers are strict.
 */
function toValidatorsText(schemas: Readonly<Record<string, object>>): string {
  const ajv = new Ajv({
    strict: false,
    strictNumbers: true,
    messages: false,
    code: { source: true, esm: true, lines: true, optimize: 3 },
  });
  for (const [name, schema] of Object.entries(schemas)) {
    ajv.addSchema(toPlain(schema), `#/components/schemas/${name}`);
  }
  const bodies = Object.keys(schemas).filter((name) => name !== 'FilterEntry');
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

/** JSON Schema (2020-12) of each schema, by name. What an answer holds beside what is named is left open. */
function toJsonSchemas(): Record<string, object> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  // Inside an OpenAPI document the place of a schema is its identity.
  const plain = Object.entries(schemas).map(([id, schema]) => [
    id,
    { ...schema, $id: undefined, $schema: undefined },
  ]);
  return JSON.parse(JSON.stringify(Object.fromEntries(plain))) as Record<string, object>;
}

/**
 * Descriptions are for people: the code of a validator need not carry them. The branches of a comparison
 * exclude each other by their operators, so the first that fits is the one: `anyOf` stops there.
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
