import { fieldsOf } from '../../access/admin-options.ts';
import { toAuditEntry } from '../../access/audit.ts';
import type { Stores } from '../../access/stores.ts';
import type { Tenant } from '../../access/tenant.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { EventOperations } from '../../engine/engine.ts';
import type { JsonObject } from '../../event/event.ts';
import { quote } from '../../event/text.ts';
import type { CountBody } from '../../query/body.ts';
import { parseCountBody } from '../../query/parse-query.ts';
import type { ErasedAnswer } from '../schemas/admin-answer.ts';
import { checkConfirmation } from './admin-operation.ts';
import type { AuthContext } from './auth-guard.ts';

/** What the erasure of events needs. */
export interface EraseEventsOptions {
  readonly stores: Pick<Stores, 'tenants'>;
  readonly runtime: Runtime;
  readonly operations: Pick<EventOperations, 'count' | 'erase'>;
}

/**
 * Erases the events of a tenant that match, as the engine erases events. Its audit entry is written before:
 * if that fails, nothing is erased. Throws ApiError.
 */
export async function eraseEvents(
  { stores, runtime, operations }: EraseEventsOptions,
  { id, alias }: Tenant,
  body: unknown,
  { by }: AuthContext,
): Promise<ErasedAnswer> {
  const { alias: said, query: asked } = fieldsOf('body', body, 'EraseEventsBody');
  checkConfirmation(said, alias);
  const query = parseCountBody(asked);
  checkChoice(asked as CountBody);
  const details = detailsOf(asked as CountBody, await operations.count(id, query));
  const entry = toAuditEntry(by, runtime, { action: 'events.erase', tenantId: id, alias, details });
  if ((await stores.tenants.update(id, {}, entry)) === undefined)
    throw new ApiError('tenantNotFound', [quote(alias)]);
  return { erased: await operations.erase(id, query) };
}

/** Refuses a query without a condition: a field that was forgotten must not erase everything. */
function checkChoice({ event, after, before, filterSet = [] }: CountBody): void {
  if (filterSet.length === 0 && [event, after, before].every((each) => each === undefined))
    throw invalid('query', 'takes at least one of event, after, before and a filter');
}

/**
 * What the audit entry says of the query. It holds no filter, since a user who is forgotten must not stay in
 * the audit log.
 */
function detailsOf({ event, after, before, filterSet = [] }: CountBody, matched: number): JsonObject {
  const given = Object.entries({ event, after, before }).filter(([, value]) => value !== undefined);
  return {
    matched,
    ...(Object.fromEntries(given) as Readonly<Record<string, string>>),
    ...(filterSet.length === 0 ? {} : { filters: filterSet.length }),
  };
}
