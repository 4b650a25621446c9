/** The indexes of this version of the schema that have names of their own. */
export const INDEXES: readonly string[] = [
  ...['api_keys_of_tenant', 'audit_by_id', 'audit_of_tenant', 'column_paths_by_use', 'erased_rows_to_sweep'],
  ...['key_secrets_of_key', 'large_events', 'views_of_owner'],
];

/** The columns of each table of this version of the schema. */
export const TABLES: Readonly<Record<string, string>> = {
  api_keys:
    'sequence, id, tenant_id, name, permissions, created_at, expires_at, revoked_at, last_used_at, ' +
    'restrictions',
  audit: 'number, tenant_id, note, id',
  buckets: 'id, used, updated_at',
  column_chunks: 'log, path, chunk, entries, codes, checksum',
  column_paths: 'log, path, bytes, used',
  dropped_tenants: 'id',
  erased_rows: 'log, chunk, count, bits, swept',
  event_names: 'log, name',
  events: 'id, log, ts, insert_id, name, user_id, properties, received_at',
  key_secrets: 'sequence, hash, key_id, created_at, expires_at, text',
  logs: 'number, tenant_id, size, version',
  credentials:
    'sequence, id, kind, hash, name, role, tenant_ids, created_at, expires_at, last_used_at, viewed_ids, ' +
    'identity, invitation',
  refusals: 'sequence, tenant_id, reason, count, first_at, last_at, example',
  spent: 'id, until',
  tenants:
    'id, alias, name, plan, auth_strategy, jwt, created_at, limits, ingestion, retention_days, remote_config',
  usage_days: 'sequence, tenant_id, day, requests, refused, limited, events, rejected, bytes',
  views: 'id, tenant_id, owner, name, question, made_by, created_at, changed_at',
};
