import type { AuditEntry } from './audit.ts';
import type { ControlStore } from './control-store.ts';
import {
  change,
  countedGroups,
  put,
  readerOf,
  type CountedGroup,
  type Decision,
  type DocumentKind,
  type Kept,
} from './decide.ts';
import { MARKS_MAX, type Mark } from './mark.ts';
import { TENANT } from './tenant-records.ts';

/** How marks are kept: those of a tenant by time, then by id. */
export const MARK: DocumentKind<Mark> = {
  kind: 'mark',
  of: ({ id, tenantId, time }) => ({ id, tenantId, group: tenantId, place: `${time} ${id}` }),
};

/** The groups: the marks of a tenant. */
export const MARK_GROUP = countedGroups('mark-group');

/** Adds a mark, if its tenant has room for it. */
function decideMark(
  mark: Mark,
  group: Kept<CountedGroup> | undefined,
  others: number,
  entry: AuditEntry | undefined,
): Decision<'created' | 'full'> {
  if (others >= MARKS_MAX) return { answer: 'full' };
  const { tenantId } = mark;
  return {
    puts: [put(MARK_GROUP, { group: tenantId, tenantId }, group), put(MARK, mark)],
    entry,
    answer: 'created',
  };
}

/** The marks of a control store. Each change has its audit entry, if one is given. */
export type MarkRecords = ReturnType<typeof marksIn>;

/** Keeps marks in a control store. */
export function marksIn(control: ControlStore) {
  const { get, list } = readerOf(control, MARK);
  const { get: getGroup } = readerOf(control, MARK_GROUP);
  return {
    /** The marks of a tenant by time, then by id. */
    list: async (tenantId: string): Promise<readonly Mark[]> =>
      (await list(tenantId)).map(({ value }) => value),
    /** Adds a mark: `full` if there is no room, and `noTenant` if there is no such tenant. */
    create: (mark: Mark, entry?: AuditEntry): Promise<'created' | 'full' | 'noTenant'> =>
      change(
        control,
        async () => ({
          tenant: await control.get(TENANT.kind, mark.tenantId),
          // The group is read before its marks: a mark that is added after that has changed it.
          group: await getGroup(mark.tenantId),
          others: (await list(mark.tenantId)).length,
        }),
        ({ tenant, group, others }): Decision<'created' | 'full' | 'noTenant'> =>
          tenant === undefined ? { answer: 'noTenant' } : decideMark(mark, group, others, entry),
      ),
    /** Removes a mark; false if there was none. */
    remove: (id: string, entry?: AuditEntry): Promise<boolean> =>
      change(
        control,
        () => get(id),
        (before): Decision<boolean> =>
          before === undefined ? { answer: false } : { removes: [before.document], entry, answer: true },
      ),
  };
}
