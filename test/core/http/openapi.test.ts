import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, it } from 'vitest';
import { sdkProtocols } from '../../../adapters/sdks/index.ts';
import { describeRows } from '../../../.config/validators.ts';
import { SETTINGS_SCHEMAS } from '../../../src/core/access/settings-schema.ts';
import { ERRORS } from '../../../src/core/base/errors.ts';
import { ADMIN_ROUTES } from '../../../src/core/http/admin-routes.ts';
import { openApiDocument } from '../../../src/core/http/openapi.ts';
import { ADMIN_ROWS } from '../../../src/core/http/schemas/admin-route-schema.ts';
import { ADMIN_SCHEMAS } from '../../../src/core/http/schemas/admin-schema.ts';
import { ANSWER_SCHEMAS } from '../../../src/core/http/schemas/answer-schema.ts';
import { BODY_SCHEMAS } from '../../../src/core/query/body-schema.ts';
import { COMPARISONS } from '../../../src/internal.ts';
import { SERVED_ROUTES } from '../../support/served-routes.ts';

const document = openApiDocument(sdkProtocols()) as {
  paths: Record<
    string,
    Record<
      string,
      {
        responses: Record<string, unknown>;
        requestBody?: object;
        parameters?: { name: string; in: string }[];
      }
    >
  >;
  components: { schemas: Record<string, object> };
};

/** Judges a value by a schema of the document, as a client that was generated from it would. */
function judge(name: string, value: unknown): boolean {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema({ $id: 'document', ...document });
  return ajv.validate({ $ref: `document#/components/schemas/${name}` }, value);
}

it('has every place of the API with every status of the table of errors', () => {
  expect(Object.keys(document.paths)).toEqual([
    ...SERVED_ROUTES.filter(({ caller }) => caller !== 'anyone').map(({ path }) => path),
    ...ADMIN_ROUTES.map(({ path }) => path),
  ]);
  expect(document.paths['/v1/admin/query/{tenantId}']?.post).toMatchObject({ operationId: 'admin.query' });
  const statuses = Object.values(ERRORS).map(({ status }) => String(status));
  for (const operations of Object.values(document.paths)) {
    for (const { responses } of Object.values(operations)) {
      expect(Object.keys(responses)).toEqual(expect.arrayContaining(['200', ...statuses]));
    }
  }
});

it.each([
  ['QueryBody', {}, true],
  ['QueryBody', { pagination: { size: 1000 } }, true],
  ['QueryBody', { pagination: { size: 1001 } }, false],
  ['CountBody', { pagination: {} }, false],
  ['ExplainBody', {}, true],
  ['ExplainBody', { question: 'query', pagination: { size: 7 } }, true],
  ['ExplainBody', { question: 'breakdown', by: ['day', 'userId'] }, true],
  ['ExplainBody', { by: 'day' }, false],
  ['ExplainBody', { question: 'top' }, false],
  ['ExplainBody', { question: 'properties' }, false],
  ['QueryBody', { filterset: [] }, false],
  ['QueryBody', { filterSet: [{ property: 'userId', comparison: 'LIKE', value: 1 }] }, false],
  [
    'QueryBody',
    { filterSet: [{ not: { anyOf: [{ property: 'userId', comparison: 'IS_NULL', value: null }] } }] },
    true,
  ],
  ['Event', { eventName: 'a' }, false],
] as const)('%s of %j: %s', (name, value, expected) => {
  expect(judge(name, value)).toBe(expected);
});

it('has each schema of a body and of an answer, once', () => {
  const { schemas } = describeRows(ADMIN_ROWS);
  const own = [BODY_SCHEMAS, { ExplainBody: {} }, SETTINGS_SCHEMAS, ANSWER_SCHEMAS, ADMIN_SCHEMAS, schemas];
  const all = [...own, ...sdkProtocols().map(({ schemas }) => schemas ?? {})];
  expect(Object.keys(document.components.schemas)).toEqual(all.flatMap((schemas) => Object.keys(schemas)));
});

it('tells of every route what it takes and answers', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    const described = JSON.stringify(
      Object.values(operations).map((operation) => [operation.responses[200]]),
    );
    expect(described, path).toMatch(/"\$ref"|"type":"(array|string)"/);
    for (const { requestBody } of Object.values(operations))
      expect(JSON.stringify(requestBody ?? { $ref: 'none' }), path).toMatch(/"\$ref"|logout_token/);
  }
});

it('knows every operator', () => {
  const text = JSON.stringify(document.components.schemas.FilterEntry);
  for (const name of Object.keys(COMPARISONS)) expect(text).toContain(`"${name}"`);
});

it('tells of each part of a path that it is to be filled in', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const { parameters = [] } of Object.values(operations)) {
      const names = parameters.filter((each) => each.in === 'path').map(({ name }) => `{${name}}`);
      expect(names, path).toEqual(path.match(/\{\w+\}/g) ?? []);
    }
  }
});
