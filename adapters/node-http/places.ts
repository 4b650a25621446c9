import { performance } from 'node:perf_hooks';
import { ApiError } from '../../src/index.ts';
import type { Exchange } from './exchange.ts';
import type { NodeServerLimits } from './limits.ts';

/** Places of which many want one. */
export interface Places {
  /** How many are taken. */
  readonly taken: number;
  /** Takes a place for somebody whom all of these owners answer for; false when one of them has its share. */
  take(owners: readonly string[]): boolean;
  /** Gives it back. */
  leave(owners: readonly string[]): void;
}

/**
 * How many owners are remembered that hold nothing: to enter and forget one for each request would cost more
 * than the places themselves.
 */
const OWNERS_MAX = 4_096;

/**
 * Makes places that no owner can take from the others: each may have as many as are free still. So one alone
 * gets half of them, two get a third each, and whoever comes new finds some free.
 */
export function createPlaces(placesMax: number): Places {
  const held = new Map<string, number>();
  let taken = 0;

  function forgetIdle(): void {
    for (const [owner, count] of held) if (count === 0) held.delete(owner);
  }

  return {
    get taken() {
      return taken;
    },
    take(owners) {
      const free = placesMax - taken;
      if (free <= 0) return false;
      for (const owner of owners) {
        if ((held.get(owner) ?? 0) >= free) return false;
      }
      taken += 1;
      for (const owner of owners) held.set(owner, (held.get(owner) ?? 0) + 1);
      return true;
    },
    leave(owners) {
      taken -= 1;
      for (const owner of owners) {
        held.set(owner, held.get(owner)! - 1);
      }
      if (held.size > OWNERS_MAX) forgetIdle();
    },
  };
}

/** The requests that wait for the rest of their bodies: none of them keeps another from being worked on. */
export interface Readers {
  /** Lets a request wait; false when its address or its owner has too many that do. */
  enter(exchange: Exchange, owner: string): boolean;
  /** Notes that more of a body has come. */
  note(exchange: Exchange, bytes: number): void;
  /** Ends the waiting, for whatever reason. */
  leave(exchange: Exchange): void;
  /** Ends those whose bodies come too slowly. */
  sweep(): void;
}

/** How long a body may come before it can be the slowest, which goes when places are short. */
const SLOW_AFTER_MS = 1_000;

interface Reader {
  readonly owners: readonly [address: string, owner: string];
  readonly sinceMs: number;
  bytes: number;
}

/** Makes the readers of a server. */
export function createReaders({
  readingMax,
  bodyGraceMs,
  bodyRateMin,
}: Pick<NodeServerLimits, 'readingMax' | 'bodyGraceMs' | 'bodyRateMin'>): Readers {
  const places = createPlaces(readingMax);
  const readers = new Map<Exchange, Reader>();

  /** Ends the slowest of those who share an owner with one who comes; false when none is slow. */
  function dropSlowest([address, owner]: Reader['owners']): boolean {
    const now = performance.now();
    let slowest: Exchange | undefined;
    let leastRate = Infinity;
    for (const [exchange, { owners, sinceMs, bytes }] of readers) {
      const ageMs = now - sinceMs;
      const shares = owners[0] === address || owners[1] === owner;
      if (!shares || ageMs < SLOW_AFTER_MS || bytes / ageMs >= leastRate) continue;
      slowest = exchange;
      leastRate = bytes / ageMs;
    }
    slowest?.fail?.(new ApiError('requestTimeout'));
    return slowest !== undefined;
  }

  return {
    enter(exchange, owner) {
      const owners = [exchange.connection.address, owner] as const;
      if (!places.take(owners) && !(dropSlowest(owners) && places.take(owners))) return false;
      readers.set(exchange, { owners, sinceMs: performance.now(), bytes: 0 });
      return true;
    },
    note(exchange, bytes) {
      const reader = readers.get(exchange);
      if (reader !== undefined) reader.bytes += bytes;
    },
    leave(exchange) {
      const reader = readers.get(exchange);
      if (reader === undefined) return;
      readers.delete(exchange);
      places.leave(reader.owners);
    },
    sweep() {
      const now = performance.now();
      for (const [exchange, { sinceMs, bytes }] of readers) {
        const ageMs = now - sinceMs;
        if (ageMs > bodyGraceMs && bytes * 1000 < bodyRateMin * ageMs) {
          exchange.fail?.(new ApiError('requestTimeout'));
        }
      }
    },
  };
}
