import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createAdaptorServer } from '@hono/node-server';
import express from 'express';
import fastify from 'fastify';
import { Hono } from 'hono';
import { createFetchHandler } from '../../adapters/fetch/index.ts';
import { createNodeListener, createNodeServer } from '../../adapters/node-http/index.ts';
import type { ServedApi } from '../../src/index.ts';

/** What is served, and below which path. */
export interface Mounted {
  readonly api: ServedApi;
  /** Empty for the root. */
  readonly prefix?: string;
}

/** A handler behind a real socket. */
export interface Transport {
  readonly port: number;
  close(): Promise<void>;
}

/** Every way to serve a handler, each as its documentation says. */
export const TRANSPORTS = {
  'node-http': async (mounted: Mounted): Promise<Transport> => {
    const server = createNodeServer(mounted);
    const { port } = await server.listen({ host: '127.0.0.1', port: 0 });
    return { port, close: () => server.close() };
  },
  fetch: (mounted: Mounted) => {
    const handle = createFetchHandler(mounted);
    return listen(createAdaptorServer({ fetch: handle }) as Server);
  },
  hono: (mounted: Mounted) => {
    const app = new Hono();
    const handle = createFetchHandler(mounted);
    app.all(`${mounted.prefix ?? ''}/*`, (context) => handle(context.req.raw));
    return listen(createAdaptorServer({ fetch: app.fetch }) as Server);
  },
  express: (mounted: Mounted) => {
    const app = express();
    app.disable('x-powered-by');
    // Express takes the path off by itself.
    const listener = createNodeListener({ api: mounted.api });
    app.use(mounted.prefix ?? '/', listener);
    app.use(express.json());
    return listen(createServer(app));
  },
  fastify: async (mounted: Mounted): Promise<Transport> => {
    const app = fastify();
    const listener = createNodeListener(mounted);
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
      { prefix: mounted.prefix ?? '' },
    );
    await app.listen({ host: '127.0.0.1', port: 0 });
    return { port: (app.server.address() as AddressInfo).port, close: () => stop(app.server) };
  },
} as const satisfies Record<string, (mounted: Mounted) => Promise<Transport>>;

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
