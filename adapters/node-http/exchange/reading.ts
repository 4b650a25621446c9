import { performance } from 'node:perf_hooks';
import { ApiError, type Scheduler } from '../../../src/index.ts';
import { createLimit } from '../../../src/transport-kit.ts';
import { readText } from './body.ts';
import type { NodeServerLimits } from '../limits/limits.ts';
import { failReading } from '../state/exchange.ts';
import type { Exchange } from '../state/states.ts';
import type { ReadBody } from './exchange.ts';

/** Reads the bodies of requests. */
export interface BodyReader {
  readonly read: ReadBody;
  /** Fails the requests whose bodies arrive too slowly. */
  sweep(): void;
}

export interface BodyReaderOptions {
  readonly limits: NodeServerLimits;
  /** Reserves memory for a request before it is used; false when the memory budget has no room. */
  readonly book: (exchange: Exchange, bytes: number, owner: string) => boolean;
  /** Called when a request begins to wait for the rest of its body. */
  readonly pause: (exchange: Exchange) => void;
  /** Called when the wait has ended; false when the concurrency limit has no room for the request. */
  readonly resume: (exchange: Exchange) => boolean;
  /** Makes the error for an exhausted memory budget or concurrency limit. */
  readonly refusal: () => ApiError;
  /** Gives turns to long work. */
  readonly scheduler: Scheduler;
}

/** Makes the body reader of a server. */
export function createReading(options: BodyReaderOptions): BodyReader {
  const { limits, book, pause, resume, refusal, scheduler } = options;
  const readers = createReaders(limits);
  return {
    read: (exchange, bytesMax, owner) =>
      readText(exchange, {
        bytesMax,
        unpackRatioMax: limits.unpackRatioMax,
        book: (bytes) => book(exchange, bytes, owner),
        release: (bytes) => exchange.reservation?.release(Math.min(bytes, exchange.reservation.bytes)),
        wait: () => {
          if (!readers.enter(exchange, owner)) return false;
          pause(exchange);
          return true;
        },
        note: (bytes) => readers.note(exchange, bytes),
        resume: () => {
          readers.leave(exchange);
          return resume(exchange);
        },
        refusal,
        inTurn: (work) => scheduler.run(owner, exchange.signal, work),
      }),
    sweep: () => readers.sweep(),
  };
}

/** The requests that wait for the rest of their bodies. They do not count as running requests. */
interface Readers {
  /** Adds a waiting request; false when its network or its owner already has too many of them. */
  enter(exchange: Exchange, owner: string): boolean;
  /** Counts the bytes of a part of a body that has arrived. */
  note(exchange: Exchange, bytes: number): void;
  /** Removes a request that no longer waits. */
  leave(exchange: Exchange): void;
  /** Fails the requests whose bodies arrive too slowly. */
  sweep(): void;
}

/** How old a wait must be before the reader may drop it as the slowest in favor of a new one. */
const SLOW_AFTER_MS = 1_000;

interface Reader {
  readonly owners: readonly [network: string, owner: string];
  readonly sinceMs: number;
  bytes: number;
}

/** Makes the readers of a server. */
function createReaders({
  readingMax,
  bodyGraceMs,
  bodyRateMin,
}: Pick<NodeServerLimits, 'readingMax' | 'bodyGraceMs' | 'bodyRateMin'>): Readers {
  const limit = createLimit(readingMax);
  const readers = new Map<Exchange, Reader>();

  /** Fails the slowest request that shares a network or an owner with a new one; false when there is none. */
  function dropSlowest([network, owner]: Reader['owners']): boolean {
    const now = performance.now();
    let slowest: Exchange | undefined;
    let leastRate = Infinity;
    for (const [exchange, { owners, sinceMs, bytes }] of readers) {
      const ageMs = now - sinceMs;
      const shares = owners[0] === network || owners[1] === owner;
      if (!shares || ageMs < SLOW_AFTER_MS || bytes / ageMs >= leastRate) continue;
      slowest = exchange;
      leastRate = bytes / ageMs;
    }
    if (slowest === undefined) return false;
    failReading(slowest, new ApiError('requestTimeout'));
    return true;
  }

  return {
    enter(exchange, owner) {
      const owners = [exchange.visitor.network, owner] as const;
      if (!limit.take(owners) && !(dropSlowest(owners) && limit.take(owners))) return false;
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
      limit.leave(reader.owners);
    },
    sweep() {
      const now = performance.now();
      for (const [exchange, { sinceMs, bytes }] of readers) {
        const ageMs = now - sinceMs;
        if (ageMs > bodyGraceMs && bytes * 1000 < bodyRateMin * ageMs) {
          failReading(exchange, new ApiError('requestTimeout'));
        }
      }
    },
  };
}
