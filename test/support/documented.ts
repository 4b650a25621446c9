import { Ajv2020 } from 'ajv/dist/2020.js';
import { sdkProtocols } from '../../adapters/sdks/index.ts';
import { ADMIN_ROUTES } from '../../src/core/http/admin-routes.ts';
import { openApiDocument } from '../../src/core/http/openapi.ts';
import { createFinder, type Route } from '../../src/core/http/route.ts';
import { SERVED_ROUTES } from './served-routes.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A schema whose objects have no fields but those that it names: a field that is not described is found. */
function toClosed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toClosed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, toClosed(value)]));
  return 'properties' in schema && !('additionalProperties' in schema)
    ? { ...inner, additionalProperties: false }
    : inner;
}

const document = toClosed(openApiDocument(sdkProtocols())) as {
  readonly paths: Readonly<Record<string, Schema>>;
  readonly components: Schema;
};
const ajv = new Ajv2020({ strict: false, validateFormats: false });
ajv.addSchema({ $id: 'document', ...document });
const find = createFinder<Route>([...SERVED_ROUTES, ...ADMIN_ROUTES]);

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Returns an answer of JSON as it is. Throws where the OpenAPI document describes another. */
export function documented<A extends Answer>(
  { method = 'POST', target }: { readonly method?: string; readonly target: string },
  answer: A,
): A {
  const route = find(target.split('?')[0] ?? '')?.route;
  const operation = route && document.paths[route.path]?.[method.toLowerCase()];
  if (operation === undefined || answer.status !== 200) return answer;
  if (!answer.headers['Content-Type']?.startsWith('application/json')) return answer;
  const escaped = route!.path.replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D');
  const place = `/paths/${escaped}/${method.toLowerCase()}/responses/200/content/application~1json/schema`;
  // Compiled once for each place; a schema that refers to it would be compiled for each answer.
  const validate = ajv.getSchema(`document#${place}`)!;
  if (validate(JSON.parse(answer.body)) !== true)
    throw new Error(
      `${target} answers what its schema does not allow: ` +
        `${ajv.errorsText(validate.errors)} in ${answer.body}`,
    );
  return answer;
}
