import type { ApiError } from '../../../src/index.ts';
import { toLogPath, type PiecesResponse, type TextResponse } from '../../../src/transport-kit.ts';
import type { Connections } from '../connection/connections.ts';
import type { Reports } from '../limits/reports.ts';
import { awaitClient, finish, startProducing, startWriting } from '../state/exchange.ts';
import type { Exchange } from '../state/states.ts';
import { toResponse, writePieces, writeText } from './answer.ts';

/** Writes answers. */
export interface AnswerWriter {
  /** Sends an answer. */
  readonly answer: (exchange: Exchange, response: TextResponse | PiecesResponse) => void;
  /** Ends an exchange whose client has taken the answer or has disconnected. */
  readonly end: (exchange: Exchange) => void;
}

export interface WritingOptions {
  readonly connections: Connections;
  readonly reports: Reports;
  /** Whether the server accepts no new requests. */
  /** Whether clients should leave, so that each answer is the last of its connection. */
  readonly isLeaving: () => boolean;
  /** Reserves memory for a request before it is used; false when the memory budget has no room. */
  readonly book: (exchange: Exchange, bytes: number) => boolean;
  /** Makes the error for an exhausted memory budget. */
  readonly refusal: () => ApiError;
}

/** The kernel mostly takes an answer of at most this size at once. */
const SMALL_BYTES = 16_384;

/** Makes the answer writer of a server. */
export function createWriting(options: WritingOptions): AnswerWriter {
  const { connections, reports, isLeaving, book, refusal } = options;

  function answer(exchange: Exchange, response: TextResponse | PiecesResponse): void {
    const { req, connection } = exchange;
    startWriting(exchange);
    if (connection.socket.destroyed) {
      if ('rest' in response) void response.rest.return?.();
      return end(exchange);
    }
    // A request behind this one has been read already, and gets its answer too.
    if (isLeaving() && connection.exchanges.at(-1) === exchange) connections.endWith(exchange);
    if (!req.complete && exchange.body !== 'taken') connections.skipBody(exchange);
    if ('rest' in response) return void writeAll(exchange, response);
    const bytes = Buffer.byteLength(response.body, response.isBinary === true ? 'latin1' : 'utf8');
    const isLarge = bytes > SMALL_BYTES;
    // A large answer reserves memory before it is encoded; a small one only if the client does not take it.
    if (isLarge && !book(exchange, bytes)) return answer(exchange, toResponse(refusal(), exchange));
    writeText(exchange, response, bytes);
    untilTaken(exchange, isLarge ? 0 : bytes);
  }

  async function writeAll(exchange: Exchange, response: PiecesResponse): Promise<void> {
    const { socket } = exchange.connection;
    try {
      await writePieces(exchange, response, {
        begin: (bytes) => {
          if (!book(exchange, bytes)) throw refusal();
          startWriting(exchange);
        },
        end: (bytes) => {
          if (!startProducing(exchange)) return false;
          exchange.reservation?.release(bytes);
          return !socket.destroyed;
        },
      });
      untilTaken(exchange, 0);
    } catch (error) {
      if (!exchange.res.headersSent) return answer(exchange, toResponse(error, exchange));
      // The status is already sent, so only a body without an end can tell the client that it is incomplete.
      reports.note('an answer broke off', { path: toLogPath(exchange.target), err: error });
      socket.resetAndDestroy();
      end(exchange);
    }
  }

  /** Ends the exchange once the client has taken the written answer; meanwhile `bytes` are reserved. */
  function untilTaken(exchange: Exchange, bytes: number): void {
    const { res, connection } = exchange;
    startWriting(exchange);
    if (res.socket?.writableLength === 0 || connection.socket.destroyed) end(exchange);
    else if (book(exchange, bytes)) {
      const goOn = () => end(exchange);
      awaitClient(exchange, goOn);
      res.once('close', goOn);
    } else connection.socket.destroy();
  }

  function end(exchange: Exchange): void {
    if (exchange.phase.at === 'over') return;
    connections.remove(exchange);
    finish(exchange);
  }

  return { answer, end };
}
