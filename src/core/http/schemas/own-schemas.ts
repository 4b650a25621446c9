import { SETTINGS_JSON_SCHEMAS } from '../../access/json-schemas.ts';
import { BODY_JSON_SCHEMAS } from '../../query/body-validators.ts';
import type { BodyName, BodySchema, BodySchemas } from '../../query/findings.ts';
import type { QuestionName } from '../../query/questions.ts';
import { ADMIN_TABLE } from './admin-table.ts';
import { JSON_SCHEMAS } from './json-schemas.ts';

/** The schema of the body of each question. */
const BODY_OF = {
  query: 'QueryBody',
  count: 'CountBody',
  breakdown: 'BreakdownBody',
  sequence: 'SequenceBody',
  users: 'UsersBody',
  retention: 'RetentionBody',
  compare: 'CompareBody',
  top: 'TopBody',
  tail: 'TailBody',
  export: 'ExportBody',
} as const satisfies Record<QuestionName, BodyName>;

/** The body of an explanation: that of any question, which takes its name besides its own keys. */
function toExplainBody(): BodySchema {
  const named = Object.entries(BODY_OF).map(([question, name]): BodySchema => {
    const { properties, required = [], ...body }: BodySchema = BODY_JSON_SCHEMAS[name];
    const needed = question === 'query' ? required : ['question', ...required];
    return {
      ...body,
      properties: { question: { type: 'string', const: question }, ...properties },
      ...(needed.length === 0 ? {} : { required: needed }),
    };
  });
  return { anyOf: named };
}

/** The schemas of what is sent and answered, by the names that OpenAPI gives them. */
export const ownSchemas = (): BodySchemas => ({
  ...BODY_JSON_SCHEMAS,
  ExplainBody: toExplainBody(),
  ...SETTINGS_JSON_SCHEMAS,
  ...JSON_SCHEMAS,
  ...ADMIN_TABLE.schemas,
});
