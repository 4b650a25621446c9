import { Ajv } from 'ajv';
import standaloneCode from 'ajv/dist/standalone/index.js';
import * as z from 'zod';
import type { AdminRoute } from '../src/core/http/admin-routes.ts';
import type { BodySchema } from '../src/core/query/findings.ts';
import { SETTINGS_SCHEMAS } from '../src/core/access/settings-schema.ts';
import { ADMIN_ROWS, type AdminRow } from '../src/core/http/schemas/admin-route-schema.ts';
import { ADMIN_SCHEMAS } from '../src/core/http/schemas/admin-schema.ts';
import { ANSWER_SCHEMAS } from '../src/core/http/schemas/answer-schema.ts';
import { BODY_SCHEMAS } from '../src/core/query/body-schema.ts';

/** What is written from the schemas: the file, and what stands in it. */
interface Generated {
  readonly file: URL;
  readonly text: string;
}

type NamedSchemas = Readonly<Record<string, z.ZodType>>;
type JsonSchemas = Readonly<Record<string, object>>;

const inCore = (path: string) => new URL(`../src/core/${path}`, import.meta.url);

/** What is sent and answered and no row alone has, by the names that OpenAPI gives it. */
const SCHEMAS: NamedSchemas = { ...BODY_SCHEMAS, ...SETTINGS_SCHEMAS, ...ANSWER_SCHEMAS, ...ADMIN_SCHEMAS };

/** Every file that `npm run validators` writes. */
export function generatedFiles(): readonly Generated[] {
  const shared = toJsonSchemas(SCHEMAS);
  const named = (names: object) =>
    Object.fromEntries(Object.keys(names).map((name) => [name, shared[name]!]));
  return [
    { file: inCore('query/body-validators.ts'), text: toValidatorsText(named(BODY_SCHEMAS)) },
    {
      file: inCore('access/json-schemas.ts'),
      text: toText('What is set of tenants and keys, as JSON Schema.', {
        SETTINGS_JSON_SCHEMAS: withoutSafeBound(named(SETTINGS_SCHEMAS)),
      }),
    },
    {
      file: inCore('http/schemas/json-schemas.ts'),
      text: toText('The answers, and the bodies of what the SDKs send, as JSON Schema.', {
        JSON_SCHEMAS: withoutSafeBound({ ...named(ANSWER_SCHEMAS), ...named(ADMIN_SCHEMAS) }),
      }),
    },
    {
      file: inCore('http/schemas/admin-table.ts'),
      text: toText('The own routes of the Admin API, and what their rows alone describe.', {
        ADMIN_TABLE: describeRows(ADMIN_ROWS),
      }),
    },
  ];
}

/**
 * The rows of the Admin API as they are served: schemas are references to JSON Schemas by name, and those
 * that no other row has come along. A body is called as its route: `InviteBody`, an answer `InviteAnswer`.
 */
export function describeRows(rows: readonly AdminRow[]): {
  readonly routes: readonly AdminRoute[];
  readonly schemas: JsonSchemas;
} {
  const known = new Map<z.ZodType, string>(Object.entries(SCHEMAS).map(([name, schema]) => [schema, name]));
  const own: Record<string, z.ZodType> = {};
  const parameters: Record<string, z.ZodType> = {};

  /** A reference to a schema, which gets a name where it has none. */
  function refer(schema: z.ZodType, name: string): BodySchema {
    if (schema instanceof z.ZodArray)
      return { type: 'array', items: refer(schema.element as z.ZodType, `${name}Item`) };
    if (!known.has(schema)) {
      known.set(schema, name);
      own[name] = schema;
    }
    return { $ref: `#/components/schemas/${known.get(schema)!}` };
  }

  const named = rows.map((row) => {
    const name = row.name.charAt(0).toUpperCase() + row.name.slice(1);
    if (row.parameters !== undefined) parameters[`${name}Parameters`] = row.parameters;
    return {
      row,
      schemas: {
        ...(row.body && { body: refer(row.body, `${name}Body`) }),
        ...(row.form && { form: refer(row.form, `${name}Form`) }),
        answer: refer(row.answer, `${name}Answer`),
      },
      parameters: `${name}Parameters`,
    };
  });
  const all = withoutSafeBound(toJsonSchemas({ ...SCHEMAS, ...own, ...parameters }));
  const routes = named.map(({ row, schemas, parameters }) => ({
    name: row.name,
    methods: [row.body === undefined && row.form === undefined ? 'GET' : 'POST'],
    ...{ path: row.path, caller: row.caller, body: row.takes ?? 'none', answer: row.gives },
    schemas: { ...schemas, ...(row.parameters && { parameters: all[parameters]! }) },
  }));
  return { routes, schemas: Object.fromEntries(Object.keys(own).map((name) => [name, all[name]!])) };
}

/** What is answered is counted: that a number is a safe integer need not be said of each. */
function withoutSafeBound(schemas: JsonSchemas): JsonSchemas {
  const isSafeBound = (key: string, value: unknown) => key === 'maximum' && value === Number.MAX_SAFE_INTEGER;
  const text = JSON.stringify(schemas, (key, value: unknown) =>
    isSafeBound(key, value) ? undefined : value,
  );
  return JSON.parse(text) as JsonSchemas;
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
function toJsonSchemas(named: NamedSchemas): JsonSchemas {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  // Inside an OpenAPI document the place of a schema is its identity.
  const plain = Object.entries(schemas).map(([id, schema]) => [
    id,
    { ...schema, $id: undefined, $schema: undefined },
  ]);
  return JSON.parse(JSON.stringify(Object.fromEntries(plain))) as JsonSchemas;
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
