import { UNPACK_RATIO_MAX } from '../../../src/transport-kit.ts';

/** How much the server accepts and how long it waits. Every field has a default in `DEFAULT_LIMITS`. */
export interface NodeServerLimits {
  /** The largest head of a request, in bytes; then 431. */
  readonly headerBytesMax: number;
  /** How long the head of a request may take; then 408. */
  readonly headersTimeoutMs: number;
  /** How long a whole request may take to arrive; then 408. */
  readonly requestTimeoutMs: number;
  /** How long a connection may be idle between two requests. */
  readonly keepAliveTimeoutMs: number;
  /** How long a client may neither send a part of a request nor take a part of an answer. */
  readonly stallTimeoutMs: number;
  /** How long a client may take to receive an answer, or one piece of an answer that is sent in pieces. */
  readonly answerTimeoutMs: number;
  /** How long the handler may work on a request that has arrived completely; then 503. */
  readonly handlerTimeoutMs: number;
  /** How long `close` waits for open requests. */
  readonly closeTimeoutMs: number;
  /**
   * How many connections may be open; the server drops further ones. One address (in IPv6, one /64) may have
   * at most half of them. This is also the length of the kernel's accept queue, as far as the system allows.
   */
  readonly connectionsMax: number;
  /**
   * How many requests of one connection may be open: without an answer, or with one that the client has not
   * taken. A connection that sends more ends with the last of these answers.
   */
  readonly pipelinedMax: number;
  /**
   * The concurrency limit: how many requests may run at once; further ones get 503. Tenants with a recently
   * authorized request share one half fairly; addresses share the other half.
   */
  readonly runningMax: number;
  /** How many requests may wait for the rest of their bodies. Addresses and tenants share this fairly. */
  readonly readingMax: number;
  /** After how long a body must arrive at `bodyRateMin`. */
  readonly bodyGraceMs: number;
  /** How many bytes of a body must arrive per second, on average; a slower body gets 408. */
  readonly bodyRateMin: number;
  /** How many bytes one byte of gzip may decompress to, on average, beyond the first 256 KiB; then 400. */
  readonly unpackRatioMax: number;
  /** How long a request may wait to start when many requests wait; then 503. */
  readonly delayMsMax: number;
}

/** The default limits. */
export const DEFAULT_LIMITS: NodeServerLimits = {
  headerBytesMax: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  // Common load balancers keep an idle connection for a minute. With more, they close it, not the server.
  keepAliveTimeoutMs: 65_000,
  stallTimeoutMs: 20_000,
  answerTimeoutMs: 120_000,
  handlerTimeoutMs: 30_000,
  closeTimeoutMs: 10_000,
  connectionsMax: 10_000,
  pipelinedMax: 20,
  runningMax: 1_000,
  readingMax: 1_000,
  bodyGraceMs: 5_000,
  bodyRateMin: 1_024,
  unpackRatioMax: UNPACK_RATIO_MAX,
  delayMsMax: 1_000,
};

/** How often, in milliseconds, the server checks its time limits. One timer serves all requests. */
export function toTickMs({ handlerTimeoutMs, answerTimeoutMs }: NodeServerLimits): number {
  return Math.min(500, Math.max(10, Math.floor(Math.min(handlerTimeoutMs, answerTimeoutMs) / 4)));
}
