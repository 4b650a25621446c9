/** The indexes of this version of the schema that have names of their own. */
export const INDEXES: readonly string[] = [
  ...['audit_by_id', 'audit_of_tenant', 'column_paths_by_use', 'documents_in_group', 'documents_of_tenant'],
  ...['erased_rows_to_sweep', 'large_events', 'names_of_document'],
];

/** The columns of each table of this version of the schema. */
export const TABLES: Readonly<Record<string, string>> = {
  audit: 'number, tenant_id, note, id',
  buckets: 'id, used, updated_at',
  column_chunks: 'log, path, chunk, entries, codes, checksum',
  column_paths: 'log, path, bytes, used',
  document_names: 'kind, name, document',
  documents: 'sequence, kind, id, tenant_id, in_group, place, names, document, version',
  dropped_tenants: 'id',
  erased_rows: 'log, chunk, count, bits, swept',
  event_names: 'log, name',
  events: 'id, log, ts, insert_id, name, user_id, properties, received_at',
  logs: 'number, tenant_id, size, version',
};
