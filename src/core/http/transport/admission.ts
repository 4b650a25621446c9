import { createFairQueue } from '../../bounds/fair-queue.ts';
import { createLimit, type Limit } from '../../bounds/limit.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import { aborted } from '../../base/errors.ts';
import type { Signal } from '../../base/signal.ts';
import { decodedPath } from '../target.ts';

/** Who a request comes from, and who it is for. */
export interface Visitor {
  /** The network that it comes from, by `networkOf`; empty where the transport does not know it. */
  readonly network: string;
  /** Its path, one text for all the ways to write it. */
  readonly path: string;
  /** The tenant that it is for; undefined while nobody knows. */
  tenantId: string | undefined;
  /** The limit of which it has a place, and in whose name; undefined if it has none. */
  place: { readonly of: Limit; readonly owner: string } | undefined;
}

/** Lets requests in, in their turns, as many at once as there are places. */
export interface Admission {
  /** How many have a place. */
  readonly taken: number;
  /**
   * Meets a request that has just come. Its tenant is known where a request from the same network to the same
   * path was admitted lately.
   */
  meet(network: string, target: string): Visitor;
  /** Notes which tenant a request is for: what it costs from here on is the tenant's. */
  admit(visitor: Visitor, tenantId: string): void;
  /** Takes a place for a request; false where there is none for who it is from. */
  takePlace(visitor: Visitor): boolean;
  /** Gives it back, where it has one. */
  leavePlace(visitor: Visitor): void;
  /**
   * Begins a request when it is its turn; `begin` does not throw. Throws `aborted()` where nobody waits for
   * the request any more.
   */
  inTurn(visitor: Visitor, signal: Signal, begin: () => void): Promise<void>;
}

/** One who waits for a turn and whom nobody knows. */
interface Stranger {
  readonly network: string;
  readonly signal: Signal;
  readonly begin: () => void;
  readonly fail: (error: Error) => void;
}

/** Whose turns those of all strangers together are: no tenant has this name. */
const STRANGERS = 'strangers';

/** How many are remembered at least who were admitted. */
const LATELY_MIN = 4_096;

/**
 * Makes the admission of a transport. A name that a client invents costs nobody anything: while nobody knows
 * who a request is for, its turn and its place are its network's. All strangers together are one owner of
 * turns, within which networks take turns, and have half of the places; the other half is for tenants of whom
 * somebody was admitted lately. So neither many names nor many networks take from those who are known.
 */
export function createAdmission({
  scheduler,
  placesMax,
}: {
  readonly scheduler: Scheduler;
  readonly placesMax: number;
}): Admission {
  const ofTenants = createLimit(Math.floor(placesMax / 2));
  const ofStrangers = createLimit(Math.ceil(placesMax / 2));
  const waiting = createFairQueue<Stranger>();
  const lately = createLately();

  function beginNext(pacer: Pacer): void {
    for (let next = waiting.next(); next !== undefined; next = waiting.next()) {
      if (next.signal.aborted) {
        next.fail(aborted());
        continue;
      }
      const beganAt = pacer.now();
      next.begin();
      waiting.charge(next.network, pacer.now() - beganAt);
      return;
    }
  }

  function takeOf(visitor: Visitor, of: Limit, owner: string): boolean {
    if (!of.take([owner])) return false;
    visitor.place = { of, owner };
    return true;
  }

  function leavePlace(visitor: Visitor): void {
    const { place } = visitor;
    visitor.place = undefined;
    place?.of.leave([place.owner]);
  }

  return {
    get taken() {
      return ofTenants.taken + ofStrangers.taken;
    },
    meet(network, target) {
      const path = decodedPath(target);
      return { network, path, tenantId: lately.find(network, path), place: undefined };
    },
    admit(visitor, tenantId) {
      const { network, path, place } = visitor;
      visitor.tenantId = tenantId;
      lately.note(network, path, tenantId);
      if (place?.of === ofStrangers && takeOf(visitor, ofTenants, tenantId)) place.of.leave([place.owner]);
    },
    takePlace(visitor) {
      const { tenantId, network } = visitor;
      if (tenantId !== undefined && takeOf(visitor, ofTenants, tenantId)) return true;
      return takeOf(visitor, ofStrangers, network);
    },
    leavePlace,
    inTurn({ tenantId, network }, signal, begin) {
      if (tenantId !== undefined) return scheduler.run(tenantId, signal, begin);
      return new Promise((resolve, fail) => {
        waiting.add(network, { network, signal, begin: () => resolve(begin()), fail });
        void scheduler.run(STRANGERS, undefined, beginNext);
      });
    },
  };
}

/** Who a request is for: its tenant, or its network while no tenant is known. */
export function ownerOf({ tenantId, network }: Visitor): string {
  return tenantId ?? network;
}

/** The tenants that were admitted lately, by the network and the path of a request. */
function createLately() {
  // Of two halves the older is forgotten when the younger is full, so that no entry has to be moved.
  let younger = new Map<string, string>();
  let older = new Map<string, string>();
  const keyOf = (network: string, path: string) => `${network} ${path}`;
  return {
    find(network: string, path: string): string | undefined {
      const key = keyOf(network, path);
      return younger.get(key) ?? older.get(key);
    },
    note(network: string, path: string, tenantId: string): void {
      if (younger.size >= LATELY_MIN) {
        older = younger;
        younger = new Map();
      }
      younger.set(keyOf(network, path), tenantId);
    },
  };
}
