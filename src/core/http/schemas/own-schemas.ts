import { SETTINGS_JSON_SCHEMAS } from '../../access/json-schemas.ts';
import { BODY_JSON_SCHEMAS } from '../../query/body-validators.ts';
import type { BodySchemas } from '../../query/findings.ts';
import { ADMIN_TABLE } from './admin-table.ts';
import { JSON_SCHEMAS } from './json-schemas.ts';

/** The schemas of what is sent and answered, by the names that OpenAPI gives them. */
export const ownSchemas = (): BodySchemas => ({
  ...BODY_JSON_SCHEMAS,
  ...SETTINGS_JSON_SCHEMAS,
  ...JSON_SCHEMAS,
  ...ADMIN_TABLE.schemas,
});
