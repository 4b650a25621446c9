/**
 * What only the pages of the dashboard need, in addition to the published doors: the types of what the Admin
 * API answers. They are inferred from its rows. It is no entry point of the package.
 */

// The answer of each route, by the name of the route.
export type { AdminAnswer } from './core/http/schemas/admin-route-schema.ts';

// What several answers hold.
export type {
  BucketAnswer,
  IssuedKeyAnswer,
  KeyAnswer,
  PersonSession,
  SessionAnswer,
  TenantAnswer,
  ViewAnswer,
} from './core/http/schemas/admin-schema.ts';
