/** The state transitions of a connection, one function each. */
import type { Socket } from 'node:net';
import type { Connection, ConnectionPhase, Exchange } from './states.ts';

type Changeable = { -readonly [K in keyof Connection]: Connection[K] } & { readonly exchanges: Exchange[] };

const OPEN: ConnectionPhase = { at: 'open' };
const SKIPPING: ConnectionPhase = { at: 'skipping' };
const LEAVING: ConnectionPhase = { at: 'leaving' };

/** Makes the connection of an accepted socket. */
export function createConnection(
  socket: Socket,
  from: Pick<Connection, 'address' | 'network' | 'isProxy'>,
): Connection {
  const restsSince = performance.now();
  const scheme = 'encrypted' in socket ? 'https' : 'http';
  return { socket, ...from, scheme, exchanges: [], phase: OPEN, flood: 'none', restsSince };
}

/** Whether the connection is about to end or has ended, and may not begin another request. */
export function isLeaving({ phase }: Connection): boolean {
  return phase.at === 'leaving' || phase.at === 'ending';
}

/** Adds a request that begins on the connection. */
export function addExchange(connection: Connection, exchange: Exchange): void {
  (connection as Changeable).exchanges.push(exchange);
}

/** Removes a request that is over; returns whether none is open any more. */
export function removeExchange(connection: Connection, exchange: Exchange): boolean {
  const own = connection as Changeable;
  own.exchanges.splice(own.exchanges.indexOf(exchange), 1);
  if (own.exchanges.length > 0) return false;
  own.restsSince = performance.now();
  return true;
}

/** Records that the client sent too many requests at once. Those that have not begun will not begin. */
export function noteFlood(connection: Connection): void {
  if (connection.flood === 'none') (connection as Changeable).flood = 'untold';
}

/** Claims the one answer that tells the client about its flood; false if it was claimed before. */
export function takeFloodAnswer(connection: Connection): boolean {
  if (connection.flood !== 'untold') return false;
  (connection as Changeable).flood = 'told';
  return true;
}

/** Starts to discard the rest of an answered request. */
export function skipRest(connection: Connection): void {
  if (connection.phase.at === 'open') (connection as Changeable).phase = SKIPPING;
}

/** Opens the connection again once that rest has arrived. */
export function endSkipping(connection: Connection): void {
  if (connection.phase.at === 'skipping') (connection as Changeable).phase = OPEN;
}

/** Records that a pending answer is the last one of the connection. */
export function leave(connection: Connection): void {
  if (!isLeaving(connection)) (connection as Changeable).phase = LEAVING;
}

/**
 * Ends the server's side. The client may go on sending for `ticksLeft` ticks and `bytesMax` bytes. False if
 * the side was ended before.
 */
export function endSending(connection: Connection, ticksLeft: number, bytesMax: number): boolean {
  if (connection.phase.at === 'ending') return false;
  const bytesReadMax = connection.socket.bytesRead + bytesMax;
  (connection as Changeable).phase = { at: 'ending', ticksLeft, bytesReadMax };
  return true;
}

/** Counts a tick; returns whether the client of an ended connection went on for too long or sent too much. */
export function hasLingered({ phase, socket }: Connection): boolean {
  if (phase.at !== 'ending') return false;
  phase.ticksLeft -= 1;
  return phase.ticksLeft < 0 || socket.bytesRead > phase.bytesReadMax;
}
