import type { ControlStore } from './control-store.ts';
import { credentialsIn, type CredentialRecords } from './credential-records.ts';
import { refusalsIn, usageIn, type RefusalRecords, type UsageRecords } from './count-records.ts';
import { keysIn, type KeyRecords } from './key-records.ts';
import { marksIn, type MarkRecords } from './mark-records.ts';
import type { Stores } from './stores.ts';
import { tenantsIn, type TenantRecords } from './tenant-records.ts';
import { viewsIn, type ViewRecords } from './view-records.ts';

/** What a control store keeps, with the rules about it. */
export interface Records {
  readonly tenants: TenantRecords;
  readonly keys: KeyRecords;
  /** Who may administer, and the audit log. */
  readonly admins: CredentialRecords;
  readonly views: ViewRecords;
  readonly marks: MarkRecords;
  readonly refusals: RefusalRecords;
  readonly usage: UsageRecords;
}

/** The stores of a server, and the records in them. */
export interface StoresWithRecords extends Stores, Records {}

/** Opens the records of stores. */
export function withRecords(stores: Stores): StoresWithRecords {
  const { events, control, limits } = stores;
  // A spread would lose the methods of a class.
  const [ready, close] = [() => stores.ready(), () => stores.close()];
  return { events, control, limits, ready, close, ...recordsIn(control) };
}

/** Reads and changes what a control store keeps. */
export function recordsIn(control: ControlStore): Records {
  return {
    tenants: tenantsIn(control),
    keys: keysIn(control),
    admins: credentialsIn(control),
    views: viewsIn(control),
    marks: marksIn(control),
    refusals: refusalsIn(control),
    usage: usageIn(control),
  };
}
