import type { AdminCredential } from './admin-credential.ts';
import { toAuditEntry, toDetails, type Actor, type AuditAction } from './audit.ts';
import { ApiError, invalid } from '../base/errors.ts';
import type { Runtime } from '../base/runtime.ts';
import { quote } from '../event/text.ts';
import { parseName } from './name.ts';
import { isAdminOf } from './reach.ts';
import { ownerOf, parseQuestion, viewsFull, type SavedView } from './saved-view.ts';
import type { Records } from './records.ts';
import type { Tenant } from './tenant.ts';

/** Who asks for views of which tenant. The caller may read the tenant. */
interface ViewCaller {
  readonly tenant: Tenant;
  readonly credential: AdminCredential;
  readonly by: Actor;
}

/** A view to be saved. */
interface NewView extends Pick<SavedView, 'name' | 'question'> {
  /** Whether it is for all people of the tenant, or one's own. */
  readonly isShared: boolean;
}

/** A view that gets another name or question. */
type ViewChange = Pick<SavedView, 'id'> & Partial<Pick<SavedView, 'name' | 'question'>>;

/** The dependencies of `createViews`. */
interface ViewsOptions {
  readonly stores: Pick<Records, 'views'>;
  readonly runtime: Pick<Runtime, 'now' | 'uuid' | 'sha256'>;
}

/**
 * Makes the operations on saved views. Views of a tenant are changed by its administrators, and those of a
 * person by this person alone. Each throws ApiError: 400, 403, 404 and 409.
 */
export function createViews({ stores, runtime }: ViewsOptions) {
  const { views } = stores;

  /** The audit entry of a change. Of a view of one person it tells neither the name nor the question. */
  function note(action: AuditAction, { tenant, by }: ViewCaller, view: SavedView) {
    const { id, owner, name, question } = view;
    const details = owner === null ? { id, name, question } : { id, of: 'one person' };
    const about = { tenantId: tenant.id, alias: tenant.alias, details: toDetails(details) };
    return toAuditEntry(by, runtime, { action, ...about });
  }

  async function list({ tenant, credential }: ViewCaller): Promise<readonly SavedView[]> {
    return views.list(tenant.id, await ownerOf(credential, runtime));
  }

  /** A view that the caller may change. One of somebody else looks like one that does not exist. */
  async function find(caller: ViewCaller, id: string): Promise<SavedView> {
    const view = (await list(caller)).find((each) => each.id === id);
    if (view === undefined) throw noSuchView();
    if (view.owner === null && !isAdminOf(caller.credential, caller.tenant)) throw new ApiError('roleTooLow');
    return view;
  }

  return {
    list,
    create: async (caller: ViewCaller, given: NewView): Promise<SavedView> => {
      const { tenant, credential } = caller;
      const { isShared } = given;
      const now = runtime.now();
      const view: SavedView = {
        ...{ id: runtime.uuid(), tenantId: tenant.id, by: credential.name, createdAt: now, changedAt: now },
        owner: isShared ? null : await ownerOf(credential, runtime),
        name: parseName(given.name),
        question: parseQuestion(given.question),
      };
      if (isShared && !isAdminOf(credential, tenant)) throw new ApiError('roleTooLow');
      const done = await views.create(view, note('view.create', caller, view));
      if (done === 'taken') throw nameTaken(view.name);
      if (done === 'full') throw viewsFull(isShared);
      if (done === 'noTenant') throw new ApiError('tenantNotFound');
      return view;
    },
    change: async (caller: ViewCaller, { id, name, question }: ViewChange): Promise<SavedView> => {
      const changes = {
        ...(name === undefined ? {} : { name: parseName(name) }),
        ...(question === undefined ? {} : { question: parseQuestion(question) }),
        changedAt: runtime.now(),
      };
      const before = await find(caller, id);
      const noted = note('view.set', caller, { ...before, ...changes });
      const after = await views.change(before.id, changes, noted);
      if (after === undefined) throw noSuchView();
      if (after === 'taken') throw nameTaken(changes.name ?? before.name);
      return after;
    },
    remove: async (caller: ViewCaller, id: string): Promise<void> => {
      const view = await find(caller, id);
      if (!(await views.remove(view.id, note('view.delete', caller, view)))) throw noSuchView();
    },
  };
}

const noSuchView = () => invalid('id', 'there is no such view');
const nameTaken = (name: string) => new ApiError('conflict', [`the view ${quote(name)}`]);
