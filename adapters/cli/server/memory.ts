import { totalmem } from 'node:os';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import type { Logger, Resources } from '../../../src/index.ts';
import { nodeResources } from '../../node-http/index.ts';

/** The resources of a server, and the watch over its memory. */
export interface ServerResources {
  readonly resources: Resources;
  /** How many bytes the process may take: as many as were asked for, or as many as there are. */
  readonly bytesMax: number;
  /** Ends the watch over the process. */
  stop(): void;
}

/** What a process takes that holds nothing yet: Node, code, SQLite, young generations, its threads. */
const BASE_BYTES = 224 * 2 ** 20;
/** How much of the rest is booked: what was let go is memory too until the collector has come by. */
const BOOKED_SHARE = 0.55;
/** How far the heap may grow between two rounds of the collector; V8 by itself lets it grow fourfold. */
const GROWTH_PERCENT = 100;
/** How far it may grow from that share of the limit on at which twice as much would still fit. */
const TIGHT_GROWTH_PERCENT = 20;
const TIGHT_SHARE = 0.5;
/**
 * From that share of the limit on as much is withheld as the process has more, up to half of what is booked:
 * the allocator keeps what was let go in pieces, nobody knows how much, until something fits into them.
 */
const FULL_SHARE = 0.85;
/** A machine that has less can serve a little still. */
const LEDGER_MIN = 32 * 2 ** 20;
const WATCH_MS = 200;

/** How much a server may take, and where it says what happened. */
interface ServerResourcesOptions {
  /** How many bytes this process may take. */
  readonly memoryMax: number;
  /** How many processes share the machine. Default 1. */
  readonly workers?: number | undefined;
  readonly log: Logger;
}

/**
 * Divides the memory of the process. The limit of V8's heap cannot be set any more when a process runs, so
 * that the collector is told how far the heap may grow between two rounds instead: what it has not yet
 * collected stays small beside what is in use, and smaller while memory is tight, when it works more often.
 * Where there are several workers, each may take what was asked, and all together what the machine has.
 */
export function openResources({ memoryMax, workers = 1, log }: ServerResourcesOptions): ServerResources {
  const machine = Math.min(totalmem(), constrained()) / workers;
  const bytesMax = Math.min(memoryMax, machine, getHeapStatistics().heap_size_limit);
  const booked = Math.max(LEDGER_MIN, Math.floor((bytesMax - BASE_BYTES) * BOOKED_SHARE));
  const resources = nodeResources({ memoryMax: booked, log });
  let tight = false;
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  const watch = setInterval(() => {
    const resident = residentBytes();
    resources.memory.withhold(
      Math.floor(Math.min(booked / 2, Math.max(0, resident - bytesMax * FULL_SHARE))),
    );
    const isTight = resident > bytesMax * TIGHT_SHARE;
    if (isTight === tight) return;
    tight = isTight;
    setFlagsFromString(`--heap-growing-percent=${tight ? TIGHT_GROWTH_PERCENT : GROWTH_PERCENT}`);
  }, WATCH_MS);
  watch.unref();
  return { resources, bytesMax, stop: () => clearInterval(watch) };
}

/** What the process takes of memory; nothing where the system has no file descriptor left to tell it by. */
function residentBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    return 0;
  }
}

/** What the system lets the process have, for instance in a container. */
function constrained(): number {
  const bytes = process.constrainedMemory();
  return bytes > 0 ? bytes : Infinity;
}
