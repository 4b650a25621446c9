import { performance } from 'node:perf_hooks';
import { ApiError, type Scheduler } from '../../../src/index.ts';
import { createLimit } from '../../../src/transport-kit.ts';
import { readText } from './body.ts';
import type { NodeServerLimits } from '../limits/limits.ts';
import { failReading } from '../state/exchange.ts';
import type { Exchange } from '../state/states.ts';
import type { ReadBody } from './exchange.ts';

/** The reading of the bodies of requests. */
export interface BodyReader {
  readonly read: ReadBody;
  /** Ends those whose bodies come too slowly. */
  sweep(): void;
}

export interface BodyReaderOptions {
  readonly limits: NodeServerLimits;
  /** Books memory of a request before it is held; false when it does not fit. */
  readonly book: (exchange: Exchange, bytes: number, owner: string) => boolean;
  /** Called when a request begins to wait for the rest of its body. */
  readonly pause: (exchange: Exchange) => void;
  /** Called when it waits no more; false when it cannot be worked on now. */
  readonly resume: (exchange: Exchange) => boolean;
  /** The refusal where memory or a place is not to be had. */
  readonly refusal: () => ApiError;
  /** Gives turns to what takes long. */
  readonly scheduler: Scheduler;
}

/** Makes the reading of the bodies of a server. */
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

/** The requests that wait for the rest of their bodies: none of them keeps another from being worked on. */
interface Readers {
  /** Lets a request wait; false when its network or its owner has too many that do. */
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

  /** Ends the slowest of those who share an owner with one who comes; false when none is slow. */
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
      const owners = [exchange.connection.network, owner] as const;
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
