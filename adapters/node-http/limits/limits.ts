import { UNPACK_RATIO_MAX } from '../../../src/transport-kit.ts';

/** What the server takes and for how long it waits. Every field has a default in `DEFAULT_LIMITS`. */
export interface NodeServerLimits {
  /** The largest head of a request; beyond it 431. */
  readonly headerBytesMax: number;
  /** How long the head of a request may take; then 408. */
  readonly headersTimeoutMs: number;
  /** How long a whole request may take to arrive; then 408. */
  readonly requestTimeoutMs: number;
  /** How long a connection may lie idle between two requests. */
  readonly keepAliveTimeoutMs: number;
  /** How long a client may neither send of a request nor take of an answer. */
  readonly stallTimeoutMs: number;
  /** How long a client may take to receive an answer, or each piece of one that is written in pieces. */
  readonly answerTimeoutMs: number;
  /** How long the handler may work on a request that has arrived; then 503. */
  readonly handlerTimeoutMs: number;
  /** How long `close` waits for what is in flight. */
  readonly closeTimeoutMs: number;
  /**
   * How many connections may be open; further ones are dropped. One address (of IPv6: one /64) has half of
   * them at most. As many may wait while the server is busy, as far as the operating system allows.
   */
  readonly connectionsMax: number;
  /**
   * How many requests of one connection may wait for their answer, or have one that the client has not
   * taken. A connection that sends more ends with the last of these answers.
   */
  readonly pipelinedMax: number;
  /**
   * How many requests may be worked on; further ones get 503. Half of them are for tenants of whom somebody
   * was admitted lately, who share it fairly; the other is shared by addresses.
   */
  readonly runningMax: number;
  /** How many requests may wait for the rest of their bodies: shared by addresses and by tenants. */
  readonly readingMax: number;
  /** From when on a body must come at `bodyRateMin`. */
  readonly bodyGraceMs: number;
  /** How many bytes of a body must come in a second, on average; then 408. */
  readonly bodyRateMin: number;
  /** How many bytes a byte of gzip may unpack to, on average, beyond the first 256 KiB; then 400. */
  readonly unpackRatioMax: number;
  /** How long a request may wait to be begun while many do; beyond it 503. */
  readonly delayMsMax: number;
}

/** The limits of a server that is told no others. */
export const DEFAULT_LIMITS: NodeServerLimits = {
  headerBytesMax: 16_384,
  headersTimeoutMs: 10_000,
  requestTimeoutMs: 60_000,
  // Longer than the minute that common load balancers keep a connection, so that they are the ones who close.
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

/** How often the server looks at its time limits: one timer serves all requests. */
export function toTickMs({ handlerTimeoutMs, answerTimeoutMs }: NodeServerLimits): number {
  return Math.min(500, Math.max(10, Math.floor(Math.min(handlerTimeoutMs, answerTimeoutMs) / 4)));
}
