import { toAll, type Condition } from '../filter/condition.ts';
import type { EventQuery } from '../query/event-query.ts';
import { selectWithin } from '../query/parse-query.ts';
import type { EventOperations } from './engine.ts';

/**
 * The questions whose answers are about the events of their query alone, so that they can be asked of some
 * events as if there were no others.
 */
export type OperationsOnSome = Pick<
  EventOperations,
  'query' | 'count' | 'export' | 'breakdown' | 'sequence' | 'top' | 'users' | 'retention'
>;

/** The same operations on the events that meet a condition, and on no others. */
export function onlyReadable(operations: OperationsOnSome, readable: Condition): OperationsOnSome {
  const within = (query: EventQuery) => selectWithin(query, toAll([readable, query.condition]));
  const narrow = <Asked extends { readonly query: EventQuery }>(asked: Asked): Asked => ({
    ...asked,
    query: within(asked.query),
  });
  return {
    query: (tenantId, asked, signal) => operations.query(tenantId, narrow(asked), signal),
    count: (tenantId, query, signal) => operations.count(tenantId, within(query), signal),
    export: (tenantId, asked, signal) => operations.export(tenantId, narrow(asked), signal),
    breakdown: (tenantId, asked, signal) => operations.breakdown(tenantId, narrow(asked), signal),
    sequence: (tenantId, asked, signal) => operations.sequence(tenantId, narrow(asked), signal),
    top: (tenantId, asked, signal) => operations.top(tenantId, narrow(asked), signal),
    users: (tenantId, asked, signal) => operations.users(tenantId, narrow(asked), signal),
    retention: (tenantId, asked, signal) => operations.retention(tenantId, narrow(asked), signal),
  };
}
