/** Every step of a connection, a function each. */
import type { Socket } from 'node:net';
import type { Connection, ConnectionPhase, Exchange } from './states.ts';

type Changeable = { -readonly [K in keyof Connection]: Connection[K] } & { readonly exchanges: Exchange[] };

const OPEN: ConnectionPhase = { at: 'open' };
const SKIPPING: ConnectionPhase = { at: 'skipping' };
const LEAVING: ConnectionPhase = { at: 'leaving' };

/** A connection begins. */
export function createConnection(socket: Socket, address: string, network: string): Connection {
  const restsSince = performance.now();
  return { socket, address, network, exchanges: [], phase: OPEN, flood: 'none', restsSince };
}

/** Whether another request would be one too many. */
export function isLeaving({ phase }: Connection): boolean {
  return phase.at === 'leaving' || phase.at === 'ending';
}

/** A request begins on it. */
export function addExchange(connection: Connection, exchange: Exchange): void {
  (connection as Changeable).exchanges.push(exchange);
}

/** A request is over; whether it was the last one that was open. */
export function removeExchange(connection: Connection, exchange: Exchange): boolean {
  const own = connection as Changeable;
  own.exchanges.splice(own.exchanges.indexOf(exchange), 1);
  if (own.exchanges.length > 0) return false;
  own.restsSince = performance.now();
  return true;
}

/** It sent too many requests at once: none of those that are not begun yet will be. */
export function noteFlood(connection: Connection): void {
  if (connection.flood === 'none') (connection as Changeable).flood = 'untold';
}

/** Whether nobody has told it so yet; from now on somebody has. */
export function takeFloodAnswer(connection: Connection): boolean {
  if (connection.flood !== 'untold') return false;
  (connection as Changeable).flood = 'told';
  return true;
}

/** The rest of an answered request is let through unseen. */
export function skipRest(connection: Connection): void {
  if (connection.phase.at === 'open') (connection as Changeable).phase = SKIPPING;
}

/** That rest has come. */
export function endSkipping(connection: Connection): void {
  if (connection.phase.at === 'skipping') (connection as Changeable).phase = OPEN;
}

/** The answer that ends it is due. */
export function leave(connection: Connection): void {
  if (!isLeaving(connection)) (connection as Changeable).phase = LEAVING;
}

/** It is ended: its client may go on sending for so many ticks, up to so many bytes. False if it was so. */
export function endSending(connection: Connection, ticksLeft: number, bytesMax: number): boolean {
  if (connection.phase.at === 'ending') return false;
  const bytesReadMax = connection.socket.bytesRead + bytesMax;
  (connection as Changeable).phase = { at: 'ending', ticksLeft, bytesReadMax };
  return true;
}

/** A tick has passed; whether its client went on sending for too long, or too much. */
export function hasLingered({ phase, socket }: Connection): boolean {
  if (phase.at !== 'ending') return false;
  phase.ticksLeft -= 1;
  return phase.ticksLeft < 0 || socket.bytesRead > phase.bytesReadMax;
}
