import * as z from 'zod';
import { entrySchema } from '../../filter/filter-schema.ts';
import {
  breakdownBodySchema,
  countBodySchema,
  exportBodySchema,
  queryBodySchema,
} from '../../query/body-schema.ts';
import type { Json } from './answers.ts';

/** The bodies of the Query API as JSON Schema (2020-12), from the zod schemas that validate them. */
export function bodySchemas(): Json {
  const registry = z.registry<{ id: string }>();
  registry.add(entrySchema, { id: 'FilterEntry' });
  registry.add(queryBodySchema, { id: 'QueryBody' });
  registry.add(countBodySchema, { id: 'CountBody' });
  registry.add(exportBodySchema, { id: 'ExportBody' });
  registry.add(breakdownBodySchema, { id: 'BreakdownBody' });
  const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
  // Inside an OpenAPI document the place of a schema is its identity.
  const plain = Object.entries(schemas).map(([id, schema]) => [
    id,
    { ...schema, $id: undefined, $schema: undefined },
  ]);
  return Object.fromEntries(plain) as Json;
}
