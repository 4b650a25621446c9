import stableStringify from 'fast-json-stable-stringify';
import { toAuditEntry, type Actor } from './audit.ts';
import type { Records } from './records.ts';
import type { Tenant } from './tenant.ts';
import type { ErasingOperations } from './erasing-operations.ts';
import { countMatches, type ErasureReceipt } from './erasure-receipt.ts';
import { ApiError, invalid } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import type { JsonObject } from '../event/event.ts';
import { quote } from '../event/text.ts';
import { toIsoInstant } from '../event/time.ts';
import type { CountBody } from '../query/body.ts';
import { parseCountBody } from '../query/parse-query.ts';

/** What the erasure of events needs. */
export interface EraseEventsOptions {
  readonly stores: Pick<Records, 'tenants' | 'refusals'>;
  readonly runtime: Runtime;
  readonly operations: ErasingOperations;
  readonly by: Actor;
}

/**
 * Erases the events of a tenant that match, as the engine erases events, and resolves to the receipt. Its
 * audit entry is written before: if that fails, nothing is erased. What was refused is no event, but an
 * example of it may come from a user who is forgotten, so the examples go too. Throws ApiError.
 */
export async function eraseEvents(
  { stores, runtime, operations, by }: EraseEventsOptions,
  { id, alias }: Pick<Tenant, 'id' | 'alias'>,
  body: CountBody,
): Promise<ErasureReceipt> {
  const query = parseCountBody(body);
  checkChoice(body);
  const { matched, ...found } = await countMatches(operations, id, body);
  const details = detailsOf(body, matched);
  const entry = toAuditEntry(by, runtime, { action: 'events.erase', tenantId: id, alias, details });
  if ((await stores.tenants.update(id, {}, entry)) === undefined)
    throw new ApiError('tenantNotFound', [quote(alias)]);
  await stores.refusals.eraseExamples(id);
  const erased = await operations.erase(id, query);
  const sha256 = await runtime.sha256(stableStringify(entry));
  return {
    ...{ tenant: alias, erased, ...found },
    ...{ at: toIsoInstant(entry.at), by: entry.who, auditEntry: { id: entry.id, sha256 } },
  };
}

/** Refuses a query without a condition: a field that was forgotten must not erase everything. */
function checkChoice(body: CountBody): void {
  if ((body.filterSet ?? []).length === 0 && CONDITIONS.every((name) => body[name] === undefined))
    throw invalid('query', `takes at least one of ${CONDITIONS.join(', ')} and a filter`);
}

/** The keys of a body that choose events, besides its filters. */
const CONDITIONS = ['event', 'after', 'before', 'from', 'until'] as const;

/**
 * What the audit entry says of the query. It holds no filter, since a user who is forgotten must not stay in
 * the audit log.
 */
function detailsOf({ filterSet = [], ...chosen }: CountBody, matched: number): JsonObject {
  const given = [...CONDITIONS, 'timeZone' as const]
    .map((name) => [name, chosen[name]] as const)
    .filter(([, value]) => value !== undefined);
  return {
    matched,
    ...(Object.fromEntries(given) as Readonly<Record<string, string>>),
    ...(filterSet.length === 0 ? {} : { filters: filterSet.length }),
  };
}
