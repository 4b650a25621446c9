import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createExchange } from '../../../adapters/node-http/exchange/exchange.ts';
import {
  createConnection,
  endSending,
  endSkipping,
  hasLingered,
  isLeaving,
  leave,
  noteFlood,
  skipRest,
  takeFloodAnswer,
} from '../../../adapters/node-http/state/connection.ts';
import {
  reservationOf,
  awaitClient,
  failReading,
  finish,
  giveUpHandler,
  handlerIsDone,
  loseBody,
  startProducing,
  startReading,
  startWriting,
  stopReading,
  takeBody,
} from '../../../adapters/node-http/state/exchange.ts';
import { ApiError } from '../../../src/index.ts';
import { createAdmission, createMemoryBudget } from '../../../src/transport-kit.ts';

const connect = () =>
  createConnection(new Socket(), { address: '127.0.0.1', network: '127.0.0.1', isProxy: false });

function open() {
  const req = new IncomingMessage(new Socket());
  return createExchange(
    connect(),
    { req, res: new ServerResponse(req), awaitsContinue: false },
    {
      admission: createAdmission({ scheduler: { run: () => Promise.reject(new Error()) }, placesMax: 1 }),
      read: () => Promise.resolve(''),
      head: { target: () => '/', header: () => undefined },
      isTrusted: () => false,
      isClosing: () => false,
      clock: { ticks: 0 },
    },
  );
}

/** A request that holds memory, and how much of it is booked. */
function booked() {
  const memory = createMemoryBudget({ bytesMax: 1_000 });
  const exchange = open();
  reservationOf(exchange, memory, 't').reserve(100);
  return { exchange, memory };
}

const late = new ApiError('requestTimeout');

it('what is over stays so, and gives its memory back', () => {
  const { exchange, memory } = booked();
  startWriting(exchange);
  finish(exchange);
  expect(memory.bytes).toBe(0);
  startWriting(exchange);
  expect(startProducing(exchange)).toBe(false);
  expect(exchange.phase.at).toBe('over');
  let goesOn = 0;
  awaitClient(exchange, () => (goesOn += 1));
  expect(goesOn).toBe(1);
});

it('a handler that is late keeps its memory until it is done, and its answer is not wanted', () => {
  const { exchange, memory } = booked();
  giveUpHandler(exchange);
  expect(exchange.signal.aborted).toBe(true);
  startWriting(exchange);
  finish(exchange);
  expect(memory.bytes).toBe(100);
  expect(handlerIsDone(exchange)).toBe(false);
  expect(memory.bytes).toBe(0);
});

it('a handler that comes back while the answer for it is written gives its memory back at the end', () => {
  const { exchange, memory } = booked();
  giveUpHandler(exchange);
  let goesOn = 0;
  awaitClient(exchange, () => (goesOn += 1));
  expect(handlerIsDone(exchange)).toBe(false);
  expect(memory.bytes).toBe(100);
  finish(exchange);
  expect(goesOn).toBe(1);
  expect(memory.bytes).toBe(0);
});

it('only a body that is waited for can fail, and one that was taken is not lost', () => {
  const exchange = open();
  const failed: unknown[] = [];
  failReading(exchange, late);
  startReading(exchange, (error) => failed.push(error));
  failReading(exchange, late);
  stopReading(exchange);
  failReading(exchange, late);
  expect(failed).toEqual([late]);
  takeBody(exchange);
  loseBody(exchange, late);
  expect(exchange.body).toBe('taken');
});

it('a connection that leaves is never open again', () => {
  const connection = connect();
  skipRest(connection);
  endSkipping(connection);
  expect(connection.phase.at).toBe('open');
  skipRest(connection);
  leave(connection);
  endSkipping(connection);
  skipRest(connection);
  expect(connection.phase.at).toBe('leaving');
  expect(endSending(connection, 1, 100)).toBe(true);
  leave(connection);
  expect(endSending(connection, 9, 100)).toBe(false);
  expect(isLeaving(connection)).toBe(true);
  expect([hasLingered(connection), hasLingered(connection)]).toEqual([false, true]);
});

it('a connection that sends too much is told once', () => {
  const connection = connect();
  expect(takeFloodAnswer(connection)).toBe(false);
  noteFlood(connection);
  expect(takeFloodAnswer(connection)).toBe(true);
  noteFlood(connection);
  expect(takeFloodAnswer(connection)).toBe(false);
});
