import { ACCESS, LIMITERS } from './access.ts';
import { ADMIN, DASHBOARD } from './admin.ts';
import { CLI } from './cli.ts';
import { BOUNDS, COLUMNS } from './columns.ts';
import { EVENT } from './event.ts';
import { EXPLANATIONS, EXPORTS, PROPERTIES } from './exports.ts';
import { CLIENT, FETCH_HANDLER, NODE_LISTENER, TRANSPORT } from './fetch.ts';
import { FILTER, QUERY } from './filter.ts';
import { ARRIVALS, GROUPS, GROUP_BODIES } from './groups.ts';
import { JOSE } from './jose.ts';
import { LEASES, REDIS } from './lease.ts';
import { NODE_HTTP } from './node-http.ts';
import { HTTP, SERVICES } from './rings.ts';
import { ERASURE, MEMORY_ERASURE, SQLITE_ERASURE } from './erase.ts';
import { OIDC } from './oidc.ts';
import { CLICKHOUSE, CLICKHOUSE_TEXTS, POSTGRES, SQL } from './sql.ts';
import { MEMORY, SQLITE } from './stores.ts';
import type { Mutant } from './mutant.ts';

/** All mutants. */
export const MUTANTS: readonly Mutant[] = [
  ...FILTER,
  ...QUERY,
  ...EVENT,
  ...COLUMNS,
  ...GROUPS,
  ...GROUP_BODIES,
  ...ARRIVALS,
  ...PROPERTIES,
  ...EXPORTS,
  ...ERASURE,
  ...MEMORY_ERASURE,
  ...SQLITE_ERASURE,
  ...EXPLANATIONS,
  ...BOUNDS,
  ...ACCESS,
  ...LEASES,
  ...LIMITERS,
  ...ADMIN,
  ...DASHBOARD,
  ...SERVICES,
  ...HTTP,
  ...JOSE,
  ...MEMORY,
  ...SQLITE,
  ...POSTGRES,
  ...CLICKHOUSE,
  ...CLICKHOUSE_TEXTS,
  ...SQL,
  ...NODE_HTTP,
  ...TRANSPORT,
  ...FETCH_HANDLER,
  ...NODE_LISTENER,
  ...CLI,
  ...REDIS,
  ...OIDC,
  ...CLIENT,
];
