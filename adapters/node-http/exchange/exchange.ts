import type { IncomingMessage, ServerResponse } from 'node:http';
import { networkOf, ownerOf, type Admission, type IndexProgress } from '../../../src/transport-kit.ts';
import { toRequestId } from '../proxy/request-id.ts';
import { clientAddress } from '../proxy/client-address.ts';
import type { IsTrusted } from '../proxy/trusted.ts';
import { RUNNING } from '../state/exchange.ts';
import type { Connection, Exchange, ExchangeSignal, TickClock } from '../state/states.ts';

/** A request as Node delivers it. */
export interface IncomingPair {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  /** Whether the client waits for `100 Continue` before it sends the body. */
  readonly awaitsContinue: boolean;
}

/** Reads the body of an exchange, up to `bytesMax` bytes. Its memory and its place count for `owner`. */
export type ReadBody = (exchange: Exchange, bytesMax: number, owner: string) => Promise<string>;

/** How a server or a listener reads the head of a request. */
export interface HeadReader {
  readonly target: (req: IncomingMessage) => string;
  /** One header by its lower-case name. Repeated headers are joined. */
  readonly header: (req: IncomingMessage, name: string) => string | undefined;
}

/** What all exchanges of a server share. */
export interface ExchangeTools {
  readonly admission: Admission;
  readonly read: ReadBody;
  readonly head: HeadReader;
  readonly isTrusted: IsTrusted;
  /** Whether the server accepts no new requests. */
  readonly isClosing: () => boolean;
  readonly clock: TickClock;
}

function createSignal(): ExchangeSignal {
  const signal = {
    aborted: false,
    progress: undefined as IndexProgress | undefined,
    note: (progress: IndexProgress) => void (signal.progress = progress),
  };
  return signal;
}

/** Makes the exchange of a request that has just arrived. */
export function createExchange(
  connection: Connection,
  { req, res, awaitsContinue }: IncomingPair,
  { admission, read, head, isTrusted, isClosing, clock }: ExchangeTools,
): Exchange {
  const target = head.target(req);
  const header = (name: string) => head.header(req, name);
  const address = connection.isProxy
    ? clientAddress(connection.address, header, isTrusted)
    : connection.address;
  const network = address === connection.address ? connection.network : networkOf(address);
  const visitor = admission.meet(network, target);
  const exchange: Exchange = {
    method: req.method ?? '',
    target,
    header,
    address,
    scheme: connection.scheme,
    protocolVersion: req.httpVersion,
    requestId: connection.isProxy ? toRequestId(header('x-request-id')) : undefined,
    waitedMs: undefined,
    bytesIn: 0,
    signal: createSignal(),
    isClosing,
    admit: (tenantId) => admission.admit(visitor, tenantId),
    text: (bytesMax, tenantId) => read(exchange, bytesMax, tenantId ?? ownerOf(visitor)),
    req,
    res,
    connection,
    visitor,
    clock,
    phase: RUNNING,
    sinceTick: clock.ticks,
    body: awaitsContinue ? 'awaits 100' : 'coming',
    isLast: false,
    reservation: undefined,
  };
  return exchange;
}
