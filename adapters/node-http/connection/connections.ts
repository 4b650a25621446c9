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
import { toAddress, type IsTrusted } from '../proxy/trusted.ts';
import { toRawAnswer } from './raw-answer.ts';

/** The connections of a server, and how they end. */
export interface Connections {
  /** Registers a socket. Past the connection limit it destroys the socket and returns undefined. */
  take(socket: Socket): Connection | undefined;
  /** The connection of a socket; undefined once it has ended. */
  of(socket: Socket): Connection | undefined;
  /** Sends an answer and ends the connection, when no request could be read from it. */
  refuse(connection: Connection, response: TextResponse): void;
  /** Ends a connection, and gives its client time to read what was sent. */
  linger(connection: Connection): void;
  /** Ends a connection once its pending answers are sent. */
  lingerAfterAnswer(connection: Connection): void;
  /** Makes an answer the last of its connection. A client that is still sending can read it. */
  endWith(exchange: Exchange): void;
  /** Skips the unread body of an answered request, or ends the connection if the body may be too large. */
  skipBody(exchange: Exchange): void;
  /** Takes over a socket that Node has detached while answers on it are pending. */
  adopt(connection: Connection): void;
  /** Whether no connection is open. */
  readonly isEmpty: boolean;
  /** The open connections. */
  all(): Iterable<Connection>;
  /** Removes a request from its connection. The last request of a leaving connection ends it. */
  remove(exchange: Exchange): void;
  /** Destroys the connections whose clients went on sending for too long after the end. */
  sweep(): void;
  /** Destroys the connections without an open request (`idle`), or all of them. */
  destroy(which: 'idle' | 'all'): void;
}

/**
 * How long a client may go on sending after the server ended its connection. If the server closed at once,
 * the kernel would reset the connection, and the client could lose the answer that gives the reason.
 */
const LINGER_MS = 2_000;
/** How many bytes it may send in that time. The timer checks this, so a client can exceed it for one tick. */
const LINGER_BYTES_MAX = 67_108_864;

/**
 * The largest unread body that the server skips to reuse the connection. A larger unread body ends the
 * connection.
 */
const SKIPPED_BODY_BYTES_MAX = 65_536;
/** How long a connection must be idle before the server may drop it in favor of a new one. */
const REST_MS = 1_000;

/**
 * Makes the registry of a server's connections. The caller runs `sweep` every `tickMs` milliseconds; `onDrop`
 * is called for each socket that exceeds the limit.
 */
export function createConnections(
  {
    connectionsMax,
    tickMs,
    isTrusted,
    addressOf,
  }: Pick<NodeServerLimits, 'connectionsMax'> & {
    readonly tickMs: number;
    /** The address of a socket's peer; empty where the peer has left already. */
    readonly addressOf: (socket: Socket) => string;
    readonly isTrusted: IsTrusted;
  },
  onDrop: () => void,
): Connections {
  const limit = createLimit(connectionsMax);
  const open = new Map<Socket, Connection>();

  function take(socket: Socket): Connection | undefined {
    const address = addressOf(socket);
    const network = networkOf(address);
    const isProxy = isTrusted(toAddress(address) ?? address);
    const owners = ownersOf({ network, isProxy });
    if (!limit.take(owners) && !(dropResting(network) && limit.take(owners))) {
      onDrop();
      socket.destroy();
      return undefined;
    }
    const connection = createConnection(socket, { address, network, isProxy });
    open.set(socket, connection);
    socket.once('close', () => forget(connection));
    return connection;
  }

  function forget(connection: Connection): void {
    if (!open.delete(connection.socket)) return;
    limit.leave(ownersOf(connection));
    // The copy is needed: `abandon` can remove an exchange from the list.
    for (const exchange of [...connection.exchanges]) abandon(exchange);
  }

  /** Drops an idle connection in favor of a network's new one; false when none has been idle long enough. */
  function dropResting(network: string): boolean {
    // At the limit, a network without a connection may replace an idle one of another network.
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
    // Node calls this method after it has sent an answer with `Connection: close`.
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

/** The network whose share of the connections one takes; none for a proxy, which serves many networks. */
function ownersOf({ network, isProxy }: Pick<Connection, 'network' | 'isProxy'>): readonly string[] {
  return isProxy ? [] : [network];
}
