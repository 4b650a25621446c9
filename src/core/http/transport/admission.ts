import { createFairQueue } from '../../bounds/fair-queue.ts';
import { createLimit, type Limit } from '../../bounds/limit.ts';
import type { Pacer, Scheduler } from '../../bounds/scheduler.ts';
import { createBoundedMap } from '../../base/bounded-map.ts';
import { aborted } from '../../base/errors.ts';
import type { Signal } from '../../base/signal.ts';
import { decodedPath } from '../target.ts';

/** The network that sent a request, and the tenant that it addresses. */
export interface Visitor {
  /** The client's network, by `networkOf`; empty where the transport does not know it. */
  readonly network: string;
  /** The percent-decoded path of the request. */
  readonly path: string;
  /** The tenant that the request addresses; undefined while it is unknown. */
  tenantId: string | undefined;
  /**
   * The limit in which the request holds a permit, and the owner of the permit; undefined if it holds none.
   */
  place: { readonly of: Limit; readonly owner: string } | undefined;
}

/** Limits how many requests run at once, and begins them in fair turns. */
export interface Admission {
  /** How many requests hold a permit. */
  readonly taken: number;
  /**
   * Describes a request that has just arrived. Its tenant is known where a request from the same network to
   * the same path was recently admitted.
   */
  meet(network: string, target: string): Visitor;
  /** Records the tenant of an authorized request. From here on its cost counts for the tenant. */
  admit(visitor: Visitor, tenantId: string): void;
  /** Takes a permit for a request; false where its owner gets none. */
  takePlace(visitor: Visitor): boolean;
  /** Gives back the permit of a request, where it holds one. */
  leavePlace(visitor: Visitor): void;
  /**
   * Begins a request in its turn; `begin` must not throw. Throws `aborted()` where the client has
   * disconnected.
   */
  inTurn(visitor: Visitor, signal: Signal, begin: () => void): Promise<void>;
}

/** A waiting request whose tenant is unknown. */
interface Stranger {
  readonly network: string;
  readonly signal: Signal;
  readonly begin: () => void;
  readonly fail: (error: Error) => void;
}

/** The owner under which the scheduler runs all requests of unknown tenants. No tenant has this id. */
const STRANGERS = 'strangers';

/** How many recent admissions are remembered at most. */
const LATELY_MAX = 8_192;

/**
 * Makes the admission of a transport. While the tenant of a request is unknown, its turn and its permit count
 * for its network, so that invented tenant names take nothing from real tenants. All such requests share one
 * owner in the scheduler, within which networks take turns, and half of the permits. The other half is for
 * tenants with a recently admitted request. So neither many names nor many networks displace known tenants.
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

/** The owner that a request counts for: its tenant, or its network while the tenant is unknown. */
export function ownerOf({ tenantId, network }: Visitor): string {
  return tenantId ?? network;
}

/** Makes a memory of recently admitted tenants, by the network and the path of their requests. */
function createLately() {
  const tenantIds = createBoundedMap<string, string>(LATELY_MAX);
  const keyOf = (network: string, path: string) => `${network} ${path}`;
  return {
    find(network: string, path: string): string | undefined {
      return tenantIds.get(keyOf(network, path));
    },
    note(network: string, path: string, tenantId: string): void {
      tenantIds.set(keyOf(network, path), tenantId);
    },
  };
}
