import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real JWKS endpoint whose answer a test chooses. */
export interface JwksServer {
  readonly url: string;
  /** How many requests came. */
  requests: number;
  /** Answers every further request. */
  answer: (req: IncomingMessage, res: ServerResponse) => void;
  /** Answers with a key set. */
  publish(...keys: object[]): void;
  close(): Promise<void>;
}

export async function startJwksServer(): Promise<JwksServer> {
  const http = createServer((req, res) => {
    server.requests += 1;
    server.answer(req, res);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  const server: JwksServer = {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/keys`,
    requests: 0,
    answer: (_req, res) => void res.writeHead(404).end(),
    publish: (...keys) => {
      server.answer = (_req, res) => void res.end(JSON.stringify({ keys }));
    },
    close: () =>
      new Promise((resolve) => {
        http.close(() => resolve());
        http.closeAllConnections();
      }),
  };
  return server;
}
