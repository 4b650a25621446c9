import type { AdminCredential, Renewal } from './admin-credential.ts';
import type { AuditEntry, AuditPage } from './audit.ts';
import type { ControlStore } from './control-store.ts';
import { change, put, readerOf, touch, type Decision, type DocumentKind } from './decide.ts';

/** The place of what ends at an instant: what ends first is listed first, and what never ends is last. */
const placeOf = (endsAt: number | null): string => (endsAt === null ? 'never' : toDigits(endsAt));
/** Instants as texts of one length, so that they sort as they follow each other. */
const toDigits = (instant: number): string => String(Math.max(0, Math.floor(instant))).padStart(16, '0');

/**
 * How credentials are kept: each is found by the hash of its secret. Those that go once they have ended are
 * listed in the order in which they end, and keys behind them.
 */
export const CREDENTIAL: DocumentKind<AdminCredential> = {
  kind: 'credential',
  of: ({ id, hash, kind, expiresAt }) => ({
    ...{ id, names: [hash], place: placeOf(kind === 'key' ? null : expiresAt) },
  }),
};

/**
 * How many that have ended go with one that is added. It is more than one, so they do not pile up, and few,
 * so a sign-in takes as long however many are signed in.
 */
const ENDED_MAX = 10;

/** A single-use id that was used. */
interface SpentId {
  readonly id: string;
  /** From when on the id would be too old in any case, epoch milliseconds. */
  readonly until: number;
}

/** How a single-use id is kept. */
export const SPENT: DocumentKind<SpentId> = {
  kind: 'spent',
  of: ({ id, until }) => ({ id, place: placeOf(until) }),
};

/** Whether a link or a session ended before a time. Keys stay to be seen. */
const isOver = ({ kind, expiresAt }: AdminCredential, now: number) =>
  kind !== 'key' && expiresAt !== null && expiresAt <= now;

/** The credentials of a control store, and its audit log. Each change has its audit entry, if any. */
export type CredentialRecords = ReturnType<typeof credentialsIn>;

/** Keeps who may administer in a control store. */
export function credentialsIn(control: ControlStore) {
  const { get, find, list } = readerOf(control, CREDENTIAL);
  const { get: getSpent, list: listSpent } = readerOf(control, SPENT);
  return {
    /** Adds a credential, and removes some links and sessions that had expired when it was created. */
    create: (credential: AdminCredential, entry?: AuditEntry): Promise<void> =>
      change(
        control,
        () => list('', { size: ENDED_MAX }),
        (first) => ({
          removes: first
            .filter(({ value }) => isOver(value, credential.createdAt))
            .map(({ document }) => document),
          puts: [put(CREDENTIAL, credential)],
          entry,
          answer: undefined,
        }),
      ),
    /** The credential whose secret has this hash, if there is one; the caller checks its expiry. */
    findByHash: async (hash: string): Promise<AdminCredential | undefined> => (await find(hash))?.value,
    /** All credentials, oldest first. */
    list: async (): Promise<readonly AdminCredential[]> =>
      (await list()).map(({ value }) => value).sort((a, b) => a.createdAt - b.createdAt),
    /** Records that a credential was used, as `touch` does. */
    touch: (id: string, usedAt: number): Promise<void> => touch(control, CREDENTIAL, id, usedAt),
    /**
     * Updates a session whose identity has this version: if several callers have read the same version, only
     * one succeeds. Returns the updated session, or undefined if it has another version or has ended.
     */
    renew: (
      id: string,
      version: number,
      { name, role, tenantIds, viewedIds, identity }: Renewal,
    ): Promise<AdminCredential | undefined> =>
      change(
        control,
        () => get(id),
        (before): Decision<AdminCredential | undefined> => {
          if (before?.value.identity?.version !== version) return { answer: undefined };
          const answer = { ...before.value, name, role, tenantIds, viewedIds, identity };
          return { puts: [put(CREDENTIAL, answer, before)], answer };
        },
      ),
    /**
     * Removes a credential and returns it. If several callers remove the same one, only one gets it;
     * undefined if there is none.
     */
    remove: (id: string, entry?: AuditEntry): Promise<AdminCredential | undefined> =>
      change(
        control,
        () => get(id),
        (before): Decision<AdminCredential | undefined> =>
          before === undefined
            ? { answer: undefined }
            : { removes: [before.document], entry, answer: before.value },
      ),
    /**
     * Records that a single-use id was used: of all callers with the same id, only one gets true. Some ids
     * that would be too old at `now` are forgotten.
     */
    spend: (id: string, until: number, now: number): Promise<boolean> =>
      change(
        control,
        async () => ({ before: await getSpent(id), first: await listSpent('', { size: ENDED_MAX }) }),
        ({ before, first }): Decision<boolean> => {
          if (before !== undefined && before.value.until > now) return { answer: false };
          const old = first.filter(({ value }) => value.until <= now && value.id !== id);
          const puts = [put(SPENT, { id, until }, before)];
          return { removes: old.map(({ document }) => document), puts, answer: true };
        },
      ),
    /** A page of audit entries, as `ControlStore` says. */
    audit: (page: AuditPage) => control.audit(page),
    /** Deletes old audit entries, as `ControlStore` says. */
    trimAudit: (notesMax: number) => control.trimAudit(notesMax),
  };
}
