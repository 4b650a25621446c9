import type { ApiError } from '../../../src/index.ts';
import { toLogPath, type PiecesResponse, type TextResponse } from '../../../src/transport-kit.ts';
import type { Connections } from '../connection/connections.ts';
import type { Reports } from '../limits/reports.ts';
import { awaitClient, endsConnection, finish, startProducing, startWriting } from '../state/exchange.ts';
import type { Exchange } from '../state/states.ts';
import { toResponse, writePieces, writeText } from './answer.ts';

/** The writing of answers. */
export interface AnswerWriter {
  /** Sends an answer. */
  readonly answer: (exchange: Exchange, response: TextResponse | PiecesResponse) => void;
  /** Ends what is over: its answer is taken, or nobody is there to take it. */
  readonly end: (exchange: Exchange) => void;
}

export interface WritingOptions {
  readonly connections: Connections;
  readonly reports: Reports;
  /** Whether the server takes nothing new. */
  readonly isClosing: () => boolean;
  /** Books memory of a request before it is held; false when it does not fit. */
  readonly book: (exchange: Exchange, bytes: number) => boolean;
  /** The refusal where memory is not to be had. */
  readonly refusal: () => ApiError;
}

/** Answers of so many bytes mostly leave at once. */
const SMALL_BYTES = 16_384;

/** Makes the writing of the answers of a server. */
export function createWriting(options: WritingOptions): AnswerWriter {
  const { connections, reports, isClosing, book, refusal } = options;

  function answer(exchange: Exchange, response: TextResponse | PiecesResponse): void {
    const { req, connection } = exchange;
    startWriting(exchange);
    if (connection.socket.destroyed) {
      if ('rest' in response) void response.rest.return?.();
      return end(exchange);
    }
    if (isClosing()) endsConnection(exchange);
    if (!req.complete && exchange.body !== 'taken') connections.skipBody(exchange);
    if ('rest' in response) return void writeAll(exchange, response);
    const bytes = Buffer.byteLength(response.body);
    const isLarge = bytes > SMALL_BYTES;
    // What is large is booked before it becomes bytes; of what is small, what the client does not take.
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
      // The status is out already, so only the missing end of the body can tell that this is not all.
      reports.note('an answer broke off', { path: toLogPath(exchange.target), err: error });
      socket.resetAndDestroy();
      end(exchange);
    }
  }

  /** Waits until the client has taken the rest of an answer, slower than it was written. */
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
