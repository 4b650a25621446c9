import { fieldsOf } from '../../access/admin-options.ts';
import { toAuditEntry } from '../../access/audit.ts';
import type { Stores } from '../../access/stores.ts';
import type { Tenant } from '../../access/tenant.ts';
import { ApiError, invalid } from '../../base/errors.ts';
import type { Runtime } from '../../base/runtime.ts';
import type { EventOperations } from '../../engine/engine.ts';
import { quote } from '../../event/text.ts';
import { EQUALITY } from '../../filter/operators.ts';
import { parseCountBody } from '../../query/parse-query.ts';
import type { ErasedAnswer } from '../schemas/admin-answer.ts';
import { checkConfirmation } from './admin-operation.ts';
import type { AuthContext } from './auth-guard.ts';

/** What the erasure of a user's events needs. */
export interface EraseUserOptions {
  readonly stores: Pick<Stores, 'tenants'>;
  readonly runtime: Runtime;
  readonly operations: Pick<EventOperations, 'count' | 'erase'>;
}

/**
 * Erases all events of one user of a tenant, as the engine erases events. Its audit entry is written before:
 * if that fails, nothing is erased. The entry names no user, because a user who is forgotten must not stay in
 * the audit log. Throws ApiError.
 */
export async function eraseUser(
  { stores, runtime, operations }: EraseUserOptions,
  { id, alias }: Tenant,
  body: unknown,
  { by }: AuthContext,
): Promise<ErasedAnswer> {
  const { alias: said, userId } = fieldsOf('body', body, 'EraseUserBody');
  checkConfirmation(said, alias);
  if (typeof userId !== 'string' || userId === '') throw invalid('userId', 'takes the id of a user');
  const filter = { property: 'userId', comparison: EQUALITY, value: userId };
  const query = parseCountBody({ filterSet: [filter] });
  const matched = await operations.count(id, query);
  const action = 'events.erase';
  const entry = toAuditEntry(by, runtime, { action, tenantId: id, alias, details: { matched } });
  if ((await stores.tenants.update(id, {}, entry)) === undefined)
    throw new ApiError('tenantNotFound', [quote(alias)]);
  return { erased: await operations.erase(id, query) };
}
