import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { createFetchHandler } from '../../adapters/fetch/index.ts';
import { createNodeListener, createNodeServer } from '../../adapters/node-http/index.ts';
import type { HttpHandler, Ledger, Logger } from '../../src/index.ts';

/** What is served, and below which path. */
export interface Served {
  readonly handler: HttpHandler;
  readonly log: Logger;
  /** Empty for the root. */
  readonly prefix?: string;
  readonly ledger?: Ledger;
}

/** A handler behind a real socket. */
export interface Transport {
  readonly port: number;
  close(): Promise<void>;
}

/** Every way to serve a handler, each as its documentation says. */
export const TRANSPORTS = {
  'node-http': async (served: Served): Promise<Transport> => {
    const server = createNodeServer(served);
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    return { port, close: () => server.close() };
  },
  fetch: (served: Served) => {
    const handle = createFetchHandler(served);
    return listen(createAdaptorServer({ fetch: handle }) as Server);
  },
  hono: (served: Served) => {
    const app = new Hono();
    const handle = createFetchHandler(served);
    app.all(`${served.prefix ?? ''}/*`, (context) => handle(context.req.raw));
    return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
  },
  express: (served: Served) => {
    const app = express();
    app.disable('x-powered-by');
    // Express takes the path off by itself.
    const { handler, log, ledger } = served;
    const listener = createNodeListener({ handler, log, ...(ledger === undefined ? {} : { ledger }) });
    app.use(served.prefix ?? '/', listener);
    app.use(express.json());
    return listen(createServer(app));
  },
  fastify: async (served: Served): Promise<Transport> => {
    const app = fastify();
    const listener = createNodeListener(served);
    await app.register(
      (scope, _options, done) => {
        scope.addHook('onRequest', (request, reply) => {
          reply.hijack();
          listener(request.raw, reply.raw);
          return Promise.resolve();
        });
        scope.all('/*', () => undefined);
        done();
      },
      { prefix: served.prefix ?? '' },
    );
    await app.listen({ host: '127.0.0.1', port: 0 });
    return { port: (app.server.address() as AddressInfo).port, close: () => stop(app.server) };
  },
} as const satisfies Record<string, (served: Served) => Promise<Transport>>;

/** The name of a way. */
export type TransportName = keyof typeof TRANSPORTS;

function listen(server: Server): Promise<Transport> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({ port: (server.address() as AddressInfo).port, close: () => stop(server) }),
    );
  });
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
