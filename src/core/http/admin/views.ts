import { createViews } from '../../access/views.ts';
import { isAdminOf } from '../../access/reach.ts';
import type { SavedView } from '../../access/saved-view.ts';
import type { AdminRouteName } from '../admin-routes.ts';
import { refuseParameters } from '../operation.ts';
import type { ViewAnswer } from '../schemas/admin-answer.ts';
import type { AuthContext } from './auth-guard.ts';
import { createCounted, toJson, turnOf, type AdminOperation } from './admin-operation.ts';
import type { ControllerOptions } from './controller.ts';

type Views = ReturnType<typeof createViews>;
type Caller = Parameters<Views['list']>[0];

/** Makes the operations that list, save, change and delete views of a tenant. */
export function createViewOperations(options: Pick<ControllerOptions, 'stores' | 'scheduler' | 'runtime'>) {
  const turn = turnOf(options.scheduler);
  const counted = createCounted(options);
  const views = createViews(options);
  const callerOf = ({ credential, by, tenant }: AuthContext): Caller => ({ credential, by, tenant: tenant! });

  const changing = (change: (caller: Caller, body: unknown) => Promise<object>): AdminOperation =>
    counted((auth, body) => change(callerOf(auth), body));

  return {
    listViews: async (call, auth) => {
      refuseParameters(call.target.queryString);
      return turn(call, auth, async () => {
        const caller = callerOf(auth);
        return toJson(
          call,
          (await views.list(caller)).map((view) => toAnswer(view, caller)),
        );
      });
    },
    createView: changing(async (caller, body) => toAnswer(await views.create(caller, body), caller)),
    changeView: changing(async (caller, body) => toAnswer(await views.change(caller, body), caller)),
    deleteView: changing(async (caller, body) => {
      await views.remove(caller, body);
      return {};
    }),
  } satisfies Partial<Record<AdminRouteName, AdminOperation>>;
}

function toAnswer(view: SavedView, { credential, tenant }: Caller): ViewAnswer {
  const { id, owner, name, question, by, createdAt, changedAt } = view;
  const isShared = owner === null;
  const mayChange = !isShared || isAdminOf(credential, tenant);
  return { id, name, question, isShared, by, createdAt, changedAt, mayChange };
}
