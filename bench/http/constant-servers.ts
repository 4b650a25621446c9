import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { loadPeer } from '../harness.ts';
import type { Constant, ServerStart, ServerStarted } from './protocol.ts';

/** Servers that read and parse the body as any must, and then send what event-query sent, from a constant. */
type Handlers = (constants: readonly Constant[]) => Promise<ServerStarted>;

/** Gathers a body and parses it. */
export async function readJson(request: IncomingMessage): Promise<unknown> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return JSON.parse(Buffer.concat(chunks).toString('utf8'));
}

export function listen(listener: RequestListener): Promise<ServerStarted> {
  const server = createServer(listener);
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () =>
      resolve({ port: (server.address() as AddressInfo).port, secret: '' }),
    );
  });
}

/** Events instead of an async iterator: the fastest way that node:http has to read a body. */
export function startRaw({ constants }: ServerStart): Promise<ServerStarted> {
  const byPath = new Map(constants.map((constant) => [constant.path + constant.body, constant]));
  return listen((request, response) => {
    let text = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      text += chunk;
    });
    request.on('end', () => {
      const body: unknown = JSON.parse(text);
      const constant = byPath.get((request.url ?? '') + text);
      if (constant === undefined || typeof body !== 'object') {
        response.writeHead(404).end();
        return;
      }
      const { headers, answer } = constant;
      response.writeHead(200, { ...headers, 'Content-Length': Buffer.byteLength(answer) }).end(answer);
    });
  });
}

/** The constants of one path, told apart by the size of their page. */
function toPaths(constants: readonly Constant[]): Map<string, (body: unknown) => Constant> {
  const paths = new Map<string, (body: unknown) => Constant>();
  const sizeOf = (body: unknown) => (body as { pagination?: { size: number } }).pagination?.size;
  for (const { path } of constants) {
    const bySize = new Map(
      constants
        .filter((constant) => constant.path === path)
        .map((constant) => [sizeOf(JSON.parse(constant.body)), constant]),
    );
    paths.set(path, (body) => bySize.get(sizeOf(body))!);
  }
  return paths;
}

interface FastifyReply {
  headers(headers: Readonly<Record<string, string>>): FastifyReply;
  send(text: string): FastifyReply;
}
interface Fastify {
  post(path: string, handler: (request: { body: unknown }, reply: FastifyReply) => unknown): void;
  listen(options: { host: string; port: number }): Promise<string>;
}

export const startFastify = constantServer(async (constants) => {
  const fastify = await loadPeer<{ fastify: () => Fastify }>('fastify');
  if (fastify === undefined) return { port: undefined };
  const app = fastify.fastify();
  for (const [path, find] of toPaths(constants)) {
    app.post(path, ({ body }, reply) => {
      const { headers, answer } = find(body);
      return reply.headers(headers).send(answer);
    });
  }
  return { port: Number(new URL(await app.listen({ host: '127.0.0.1', port: 0 })).port), secret: '' };
});

interface HonoContext {
  req: { json(): Promise<unknown> };
  body(text: string, status: number, headers: Readonly<Record<string, string>>): unknown;
}
interface Hono {
  post(path: string, handler: (context: HonoContext) => Promise<unknown>): void;
  fetch: unknown;
}

export const startHono = constantServer(async (constants) => {
  const hono = await loadPeer<{ Hono: new () => Hono }>('hono');
  const server = await loadPeer<{ getRequestListener: (fetch: unknown) => RequestListener }>(
    '@hono/node-server',
  );
  if (hono === undefined || server === undefined) return { port: undefined };
  const app = new hono.Hono();
  for (const [path, find] of toPaths(constants)) {
    app.post(path, async (context) => {
      const { headers, answer } = find(await context.req.json());
      return context.body(answer, 200, headers);
    });
  }
  return listen(server.getRequestListener(app.fetch));
});

interface ExpressResponse {
  set(headers: Readonly<Record<string, string>>): ExpressResponse;
  send(text: string): void;
}
type Express = RequestListener & {
  use(middleware: unknown): void;
  post(path: string, handler: (request: { body: unknown }, response: ExpressResponse) => void): void;
  disable(setting: string): void;
};

export const startExpress = constantServer(async (constants) => {
  const express = await loadPeer<{ default: (() => Express) & { json(): unknown } }>('express');
  if (express === undefined) return { port: undefined };
  const app = express.default();
  // Neither is part of the answer that all give.
  app.disable('etag');
  app.disable('x-powered-by');
  app.use(express.default.json());
  for (const [path, find] of toPaths(constants)) {
    app.post(path, ({ body }, response) => {
      const { headers, answer } = find(body);
      response.set(headers).send(answer);
    });
  }
  return listen(app);
});

function constantServer(start: Handlers): (start: ServerStart) => Promise<ServerStarted> {
  return ({ constants }) => start(constants);
}
