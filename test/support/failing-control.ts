import { unavailable, type Stores } from '../../src/index.ts';
import type { ControlChange } from '../../src/store-kit.ts';

/** Stores that cannot be reached for some changes, as a test says. */
export function failingFor(stores: Stores, isAway: (change: ControlChange) => boolean): Stores {
  const { control } = stores;
  const commit = (change: ControlChange) =>
    isAway(change) ? Promise.reject(unavailable('away')) : control.commit(change);
  return { ...stores, control: { ...control, commit } };
}

/** Whether a change puts a document of a kind, for one tenant if it is named. */
export function puts({ puts: all = [] }: ControlChange, kind: string, tenantId?: string): boolean {
  return all.some((each) => each.kind === kind && (tenantId === undefined || each.tenantId === tenantId));
}
