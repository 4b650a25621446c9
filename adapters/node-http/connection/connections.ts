import type { Socket } from 'node:net';
import { createLimit, networkOf, type TextResponse } from '../../../src/transport-kit.ts';
import type { NodeServerLimits } from '../limits/limits.ts';
import {
  createConnection,
  endSending,
  endSkipping,
  hasLingered,
  isLeaving,
  leave,
  removeExchange,
  skipRest,
} from '../state/connection.ts';
import { abandon, endsConnection } from '../state/exchange.ts';
import type { Connection, Exchange } from '../state/states.ts';
import { toRawAnswer } from './raw-answer.ts';

/** The connections of a server, and how they end. */
export interface Connections {
  /** Takes on a socket; undefined, and the socket is destroyed, where there is no place for it. */
  take(socket: Socket): Connection | undefined;
  /** The connection of a socket; undefined when it is over. */
  of(socket: Socket): Connection | undefined;
  /** Ends a connection with an answer, when no request could be read from it. */
  refuse(connection: Connection, response: TextResponse): void;
  /** Ends a connection, and leaves its client time to read what was sent. */
  linger(connection: Connection): void;
  /** Makes the end of the answers that are due the end of the connection. */
  lingerAfterAnswer(connection: Connection): void;
  /** Makes an answer the last of its connection, so that a client that still sends can read it. */
  endWith(exchange: Exchange): void;
  /** Decides what becomes of a connection whose request is answered before its body has come. */
  skipBody(exchange: Exchange): void;
  /** Takes over a socket that Node has let go of, while answers on it are due. */
  adopt(connection: Connection): void;
  /** Whether none is open. */
  readonly isEmpty: boolean;
  /** Those that are open. */
  all(): Iterable<Connection>;
  /** Takes a request off its connection; behind the last one of a connection that ends, it ends. */
  remove(exchange: Exchange): void;
  /** Cuts off those who have been ending for too long. */
  sweep(): void;
  /** Destroys all connections but those that a request is open on, or all. */
  destroy(which: 'idle' | 'all'): void;
}

/**
 * How long a client may go on sending after its connection was ended. Closing at once would make the kernel
 * reset the connection, and the reset would overtake the answer that says why.
 */
const LINGER_MS = 2_000;
/** How much it may send in that time, as far as the timer notices. */
const LINGER_BYTES_MAX = 67_108_864;

/**
 * The largest unread body that is skipped so that its connection can be used again; behind a larger one it
 * ends.
 */
const SKIPPED_BODY_BYTES_MAX = 65_536;
/** How long a connection without a request is left in peace when places are short. */
const REST_MS = 1_000;

/** Watches connections. `tickMs` is how often `sweep` is called. */
export function createConnections(
  { connectionsMax }: Pick<NodeServerLimits, 'connectionsMax'>,
  tickMs: number,
  onDrop: () => void,
): Connections {
  const limit = createLimit(connectionsMax);
  const open = new Map<Socket, Connection>();

  function take(socket: Socket): Connection | undefined {
    const address = socket.remoteAddress ?? '';
    const network = networkOf(address);
    if (!limit.take([network]) && !(dropResting(network) && limit.take([network]))) {
      onDrop();
      socket.destroy();
      return undefined;
    }
    const connection = createConnection(socket, address, network);
    open.set(socket, connection);
    socket.once('close', () => forget(connection));
    return connection;
  }

  function forget(connection: Connection): void {
    if (!open.delete(connection.socket)) return;
    limit.leave([connection.network]);
    // One whose answer nobody takes any more is taken off meanwhile.
    for (const exchange of [...connection.exchanges]) abandon(exchange);
  }

  /** Makes room for one more connection of a network; false when all that could go are in use. */
  function dropResting(network: string): boolean {
    // Where all places are taken, a network that has none gets one of another's.
    const takesOthers = limit.taken >= connectionsMax && !hasAny(network);
    let longest: Connection | undefined;
    let since = performance.now() - REST_MS;
    for (const connection of open.values()) {
      const fits = takesOthers || connection.network === network;
      if (!fits || connection.exchanges.length > 0 || connection.restsSince > since) continue;
      longest = connection;
      since = connection.restsSince;
    }
    if (longest === undefined) return false;
    longest.socket.destroy();
    forget(longest);
    return true;
  }

  function hasAny(network: string): boolean {
    for (const connection of open.values()) if (connection.network === network) return true;
    return false;
  }

  function linger(connection: Connection): void {
    const ticks = Math.ceil(LINGER_MS / tickMs);
    if (endSending(connection, ticks, LINGER_BYTES_MAX)) connection.socket.end();
  }

  function lingerAfterAnswer(connection: Connection): void {
    leave(connection);
    // Node calls this method when an answer with `Connection: close` is out.
    connection.socket.destroySoon = () => linger(connection);
  }

  function endWith(exchange: Exchange): void {
    endsConnection(exchange);
    lingerAfterAnswer(exchange.connection);
  }

  return {
    take,
    of: (socket) => open.get(socket),
    refuse: (connection, response) => {
      connection.socket.write(toRawAnswer(response));
      linger(connection);
    },
    linger,
    lingerAfterAnswer,
    endWith,
    skipBody: (exchange) => {
      const { connection, req } = exchange;
      const length = exchange.header('content-length') ?? '0';
      const chunked = exchange.header('transfer-encoding') !== undefined;
      if (!chunked && length === '0') return;
      const goesOn = !chunked && Number(length) <= SKIPPED_BODY_BYTES_MAX && exchange.body !== 'awaits 100';
      if (!goesOn || exchange.isLast) {
        endWith(exchange);
        return;
      }
      skipRest(connection);
      req.once('end', () => endSkipping(connection));
    },
    adopt: (connection) => {
      const { socket, exchanges } = connection;
      socket.on('error', () => socket.destroy());
      socket.on('timeout', () => socket.destroy());
      socket.on('drain', () => exchanges[0]?.res.emit('drain'));
      lingerAfterAnswer(connection);
    },
    get isEmpty() {
      return open.size === 0;
    },
    all: () => open.values(),
    remove: (exchange) => {
      const { connection } = exchange;
      const isIdle = removeExchange(connection, exchange);
      if (isIdle && isLeaving(connection)) connection.socket.destroySoon();
    },
    sweep: () => {
      for (const connection of open.values()) {
        if (hasLingered(connection)) connection.socket.destroy();
      }
    },
    destroy: (which) => {
      for (const { socket, exchanges } of open.values()) {
        if (which === 'all' || exchanges.length === 0) socket.destroy();
      }
    },
  };
}
